import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from } from "pg-copy-streams";
import type { CopyChunks } from "./copy-encoder.ts";
import { type CopyType, type CopyValue, createEncoders } from "./copy-text.ts";
import type { PipelinedStatement } from "./pipeline.ts";
import { undefinedIfEmpty } from "./undefined-if-empty.ts";

export type { CopyType, CopyValue } from "./copy-text.ts";

/** Characters per chunk: large enough that its overhead is small, small enough that a few of them fit in memory. */
const chunkLength = 256 * 1024;

/**
 * Writes rows into a table with COPY, encoding them while they are sent, and returns their number. For use inside a transaction, which must be rolled back
 * after an error. @throws {CopyError} if a value is invalid for its column.
 */
export async function copyRows(
  client: pg.ClientBase,
  table: string,
  columns: readonly string[],
  rows: Iterable<readonly CopyValue[]>,
  types: readonly CopyType[],
): Promise<number> {
  const chunks = undefinedIfEmpty(encodeRows(table, columns, rows, types));
  if (chunks === undefined) return 0;
  const target = client.query(from(statementOf(table, columns), { highWaterMark: 2 * chunkLength }));
  await pipeline(Readable.from(chunks, { objectMode: true, highWaterMark: 1 }), target);
  return target.rowCount;
}

/** The statement that writes encoded rows into a table. */
export const copyStatement = (table: string, { columns, chunks }: Pick<CopyChunks, "columns" | "chunks">): PipelinedStatement => ({
  text: statementOf(table, columns),
  rows: chunks,
});

const statementOf = (table: string, columns: readonly string[]): string =>
  `COPY ${pg.escapeIdentifier(table)} (${columns.map(pg.escapeIdentifier).join(", ")}) FROM STDIN`;

/** Rows as text, in chunks of about 256 KB. */
function* encodeRows(
  table: string,
  columns: readonly string[],
  rows: Iterable<readonly CopyValue[]>,
  types: readonly CopyType[],
): Generator<string, void> {
  const [firstEncoder, ...otherEncoders] = createEncoders(table, columns, types);
  if (firstEncoder === undefined) throw new RangeError(`Invalid COPY into ${table}: expected at least one column.`);
  let chunk = "";
  for (const row of rows) {
    chunk += firstEncoder(row[0]);
    for (let index = 0; index < otherEncoders.length; index++) chunk += `\t${otherEncoders[index]?.(row[index + 1])}`;
    chunk += "\n";
    if (chunk.length >= chunkLength) {
      yield chunk;
      chunk = "";
    }
  }
  if (chunk !== "") yield chunk;
}
