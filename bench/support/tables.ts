import type { Queryable } from "../../runtime/database/database.ts";

/** The names of all tables in the schema except the migrations' own, in order. */
export async function tableNames(database: Queryable): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `SELECT relname::text AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
     AND relname NOT LIKE 'ashlar\\_migrations%' ORDER BY relname`,
  );
  return rows.map((row) => row.name);
}

/** Row counts of the non-empty tables. */
export async function countRows(database: Queryable): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const name of await tableNames(database)) {
    const [row] = await database.query<{ count: number }>(`SELECT count(*) AS count FROM "${name}"`);
    if (row !== undefined && row.count > 0) counts[name] = row.count;
  }
  return counts;
}

/** Columns and indexes of the schema as text, with the views of the schema `api`; equal for equal migrations. */
export async function describeSchema(database: Queryable): Promise<string> {
  const columns = await database.query<{ line: string }>(
    `SELECT concat_ws(' ', table_name, ordinal_position, column_name, udt_name, numeric_precision, is_nullable) AS line
     FROM information_schema.columns WHERE table_schema IN ('public', 'api') ORDER BY table_schema, table_name, ordinal_position`,
  );
  const indexes = await listIndexes(database);
  return [...columns.map(({ line }) => line), ...indexes.map(({ definition }) => definition)].join("\n");
}

/** An index; `constraint` is the definition of the primary key, or unique or exclusion constraint, that it belongs to, or null. */
export interface IndexRecord {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
  readonly constraint: string | null;
  readonly valid: boolean;
}

/** Lists the indexes of all tables. */
export const listIndexes = (database: Queryable): Promise<IndexRecord[]> =>
  database.query<IndexRecord>(
    `SELECT t.relname::text AS table, i.relname::text AS name, pg_get_indexdef(x.indexrelid) AS definition,
            pg_get_constraintdef(c.oid) AS constraint, x.indisvalid AND x.indisready AS valid
     FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
     LEFT JOIN pg_constraint c ON c.conindid = x.indexrelid AND c.contype IN ('p', 'u', 'x')
     WHERE t.relnamespace = 'public'::regnamespace ORDER BY t.relname, i.relname`,
  );

/** Size of a database on disk, including indexes. */
export const megabytesOf = async (database: Queryable): Promise<number> => {
  const [row] = await database.query<{ bytes: number }>("SELECT pg_database_size(current_database()) AS bytes");
  return Math.round((row?.bytes ?? 0) / 2 ** 20);
};
