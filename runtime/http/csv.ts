import { Readable, type Transform, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { stringify } from "csv-stringify";
import type { CsvColumn, Operation } from "../../generated/operations.gen.ts";
import { parentsOf, rowsOf } from "./credits.ts";
import { renderCell } from "./csv-cell.ts";

/** The media type of CSV (RFC 4180, section 3); there is always a header line. */
export const csvType = "text/csv; charset=utf-8; header=present";

function valueAt(start: unknown, path: readonly string[]): unknown {
  let value = start;
  for (const name of path) {
    if (typeof value !== "object" || value === null) return null;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

/** The cells of a response, row by row. */
function* csvRows(operation: Pick<Operation, "csv" | "list" | "rows">, data: unknown): Generator<string[]> {
  for (const parent of parentsOf(operation, data)) {
    for (const row of rowsOf(operation, parent)) {
      yield operation.csv.map(({ path, from, kind }) => renderCell(valueAt(from === "row" ? row : parent, path), kind));
    }
  }
}

/** A lower bound of the size in bytes: cells and separators, without quotes. Counting stops above `bound`. */
export function measureCsv(operation: Pick<Operation, "csv" | "list" | "rows">, data: unknown, bound: number): number {
  let bytes = 0;
  for (const row of csvRows(operation, data)) {
    for (const cell of row) bytes += Buffer.byteLength(cell) + 1;
    if (bytes > bound) return bytes;
  }
  return bytes;
}

/** Writes a response as CSV (RFC 4180) with backpressure, through a stream that compresses it, if there is one. */
export async function writeCsv(
  operation: Pick<Operation, "csv" | "list" | "rows">,
  data: unknown,
  output: Writable,
  encoder: Transform | null = null,
): Promise<void> {
  const columns = operation.csv.map((column: CsvColumn) => column.header);
  // A lone CR or LF must be quoted too (RFC 4180, section 2.6).
  const stringifier = stringify({ header: true, columns, record_delimiter: "\r\n", quoted_match: /[\r\n]/ });
  const rows = Readable.from(csvRows(operation, data));
  await (encoder === null ? pipeline(rows, stringifier, output) : pipeline(rows, stringifier, encoder, output));
}
