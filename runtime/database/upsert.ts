import pg from "pg";
import type { CopyType, CopyValue } from "./copy.ts";
import type { DatabaseClient } from "./database.ts";
import { undefinedIfEmpty } from "./undefined-if-empty.ts";

/** A table that holds latest values: its key, and all columns to write, including the key. */
export interface UpsertTarget {
  readonly table: string;
  readonly key: readonly string[];
  readonly columns: readonly string[];
  readonly types: readonly CopyType[];
}

/**
 * Inserts rows, or updates those with the same key, with COPY into a temporary table and one INSERT … ON CONFLICT. Returns their number.
 * Keys must be distinct. Rows are written in key order, so that two writers cannot deadlock.
 */
export async function upsert(client: DatabaseClient, target: UpsertTarget, rows: Iterable<readonly CopyValue[]>): Promise<number> {
  const present = undefinedIfEmpty(rows);
  if (present === undefined) return 0;
  const sql = upsertStatements(target);
  await client.query(sql.create);
  const count = await client.copy(sql.staging, target.columns, present, target.types);
  await client.query(sql.merge);
  await client.query(sql.drop);
  return count;
}

/** An upsert's statements. The staging table is filled between `create` and `merge`. */
export function upsertStatements({ table, key, columns }: Omit<UpsertTarget, "types">): {
  staging: string;
  create: string;
  merge: string;
  drop: string;
} {
  const quote = pg.escapeIdentifier;
  const list = (names: readonly string[]): string => names.map(quote).join(", ");
  const staging = `upsert_${table}`;
  const changed = columns.filter((column) => !key.includes(column));
  const action =
    changed.length === 0 ? "NOTHING" : `UPDATE SET ${changed.map((column) => `${quote(column)} = excluded.${quote(column)}`).join(", ")}`;
  return {
    staging,
    // Only the column types are copied; the INSERT checks the constraints.
    create: `CREATE TEMP TABLE ${quote(staging)} ON COMMIT DROP AS SELECT ${list(columns)} FROM ${quote(table)} WITH NO DATA`,
    // Served by the primary key, which `key` must be.
    merge: `INSERT INTO ${quote(table)} (${list(columns)}) SELECT ${list(columns)} FROM ${quote(staging)} ORDER BY ${list(key)} ON CONFLICT (${list(key)}) DO ${action}`,
    drop: `DROP TABLE ${quote(staging)}`,
  };
}
