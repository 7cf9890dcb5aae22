import type { Queryable } from "../database/database.ts";

/** A table of the index, as PostgreSQL's catalog describes it. */
export interface TableSchema {
  readonly name: string;
  /** In table order, without generated columns. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** The column whose values a sequence generates; null if there is none. */
  readonly sequenceColumn: string | null;
  /** The size on disk, excluding indexes. */
  readonly diskBytes: number;
}

/**
 * Tables that no backup contains: the migrator's, which migrations fill; the reader role's password, which is created when the database is opened;
 * and `ashlar_restore`, which belongs to a restore.
 */
const excluded = ["ashlar_migrations", "ashlar_migrations_lock", "ashlar_restore", "community_reader"];

/**
 * The index's tables with all of their columns, by name, read from the catalog so that migrations need not extend a list. Extensions' tables are
 * excluded.
 */
export const readTables = async (database: Pick<Queryable, "query">): Promise<TableSchema[]> =>
  database.query<TableSchema>(
    `SELECT c.relname::text AS name,
       json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) ORDER BY a.attnum) AS columns,
       min(a.attname::text) FILTER (WHERE a.attidentity <> '') AS "sequenceColumn",
       pg_table_size(c.oid)::int8 AS "diskBytes"
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> ALL ($1)
       AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
     GROUP BY c.oid, c.relname ORDER BY c.relname COLLATE "C"`,
    [excluded],
  );

/** The names of the applied migrations, in order; none if the database has no schema. */
export async function readMigrations(database: Pick<Queryable, "query">): Promise<readonly string[]> {
  const [lookup] = await database.query<{ exists: boolean }>("SELECT to_regclass('ashlar_migrations') IS NOT NULL AS exists");
  if (lookup?.exists !== true) return [];
  const rows = await database.query<{ name: string }>("SELECT name FROM ashlar_migrations ORDER BY id");
  return rows.map(({ name }) => name);
}
