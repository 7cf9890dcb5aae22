import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from } from "pg-copy-streams";
import type { CopyType, CopyValue } from "../../runtime/database/copy.ts";
import { createEncoders } from "../../runtime/database/copy-text.ts";
import type { Database, Queryable } from "../../runtime/database/database.ts";

/** A table's rows in memory. */
export interface TableRows {
  readonly name: string;
  readonly columns: readonly string[];
  readonly types: readonly CopyType[];
  readonly rows: readonly (readonly CopyValue[])[];
}

const copyTypes: readonly string[] = ["bool", "bytea", "date", "float8", "int2", "int4", "int8", "jsonb", "numeric", "text", "timestamptz"];
const chunkBytes = 256 * 1024;

/** Reads all rows of a table; jsonb columns, and columns whose type has no encoder, are read as text. */
export async function readTable(database: Queryable, name: string): Promise<TableRows> {
  const described = await database.query<{ column: string; type: string }>(
    `SELECT column_name::text AS column, udt_name::text AS type FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER' ORDER BY ordinal_position`,
    [name],
  );
  const keepsType = (type: string): boolean => copyTypes.includes(type) && type !== "jsonb";
  const picked = described.map(({ column, type }) => (keepsType(type) ? `"${column}"` : `"${column}"::text`));
  const rows = await database.query<Record<string, CopyValue>>(`SELECT ${picked.join(", ")} FROM "${name}"`);
  const columns = described.map(({ column }) => column);
  return {
    name,
    columns,
    types: described.map(({ type }) => (keepsType(type) ? (type as CopyType) : "text")),
    rows: rows.map((row) => columns.map((column) => row[column] ?? null)),
  };
}

/** Encodes and writes rows in one transaction. */
export const copyValues = (database: Database, { name, columns, types, rows }: TableRows): Promise<number> =>
  database.transaction(async (client) => {
    await client.query("SET LOCAL synchronous_commit = off");
    return client.copy(name, columns, rows, types);
  });

/** Encodes rows in COPY's text format, in chunks. */
export function encodeTable({ name, columns, types, rows }: TableRows): Buffer[] {
  const columnEncoders = createEncoders(name, columns, types);
  const text = rows.map((row) => `${row.map((value, index) => columnEncoders[index]?.(value)).join("\t")}\n`).join("");
  const whole = Buffer.from(text);
  return Array.from({ length: Math.ceil(whole.length / chunkBytes) }, (_, index) =>
    whole.subarray(index * chunkBytes, (index + 1) * chunkBytes),
  );
}

/** Writes encoded rows. */
export async function copyText(client: pg.Client, { name, columns }: TableRows, chunks: readonly Buffer[]): Promise<void> {
  const statement = from(`COPY "${name}" (${columns.map(pg.escapeIdentifier).join(", ")}) FROM STDIN`);
  await pipeline(Readable.from(chunks), client.query(statement));
}
