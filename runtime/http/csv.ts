import type { Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Operation } from "../../generated/operations.gen.ts";
import { isTurnOver, nextTurn } from "../lib/turns.ts";
import { parentsOf, rowsOf } from "./credits.ts";
import { renderCell } from "./csv-cell.ts";

/** The media type of CSV (RFC 4180, section 3); there is always a header line. */
export const csvType = "text/csv; charset=utf-8; header=present";

/** The parts of an operation that determine its response's rows and columns. */
type Shape = Pick<Operation, "csv" | "list" | "rows">;

function valueAt(start: unknown, path: readonly string[]): unknown {
  let value = start;
  for (const name of path) {
    if (typeof value !== "object" || value === null) return null;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

/** A response's cells, row by row. */
export function* csvRows(operation: Shape, data: unknown): Generator<string[]> {
  for (const parent of parentsOf(operation, data)) {
    for (const row of rowsOf(operation, parent)) {
      yield operation.csv.map(({ path, from, kind }) => renderCell(valueAt(from === "row" ? row : parent, path), kind));
    }
  }
}

/** A lower bound for a response's size in bytes: its cells and separators, without quotes. Counting stops above `bound`. */
export async function measureCsv(operation: Shape, data: unknown, bound: number): Promise<number> {
  let bytes = 0;
  let rows = 0;
  for (const row of csvRows(operation, data)) {
    for (const cell of row) bytes += Buffer.byteLength(cell) + 1;
    if (bytes > bound) return bytes;
    rows += 1;
    if (rows % rowsPerCheck === 0 && isTurnOver()) await nextTurn();
  }
  return bytes;
}

/** Rows that are formatted between two checks of the clock. */
const rowsPerCheck = 16;
/** Characters per chunk. */
const chunkCharacters = 64 * 1024;

/** A record (RFC 4180, section 2). A lone CR or LF must also be quoted. */
export const renderRecord = (cells: readonly string[]): string => `${cells.map(quoted).join(",")}\r\n`;
const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** A response as CSV (RFC 4180) in chunks; a long one is formatted in turns with other requests (see lib/turns.ts). */
export async function* csvChunks(operation: Shape, data: unknown): AsyncGenerator<string> {
  let text = renderRecord(operation.csv.map(({ header }) => header));
  let rows = 0;
  for (const row of csvRows(operation, data)) {
    text += renderRecord(row);
    rows += 1;
    if (text.length >= chunkCharacters) {
      yield text;
      text = "";
    }
    if (rows % rowsPerCheck === 0 && isTurnOver()) await nextTurn();
  }
  yield text;
}

/** Writes a response as CSV with backpressure, compressed by the encoder if there is one. */
export const writeCsv = (operation: Shape, data: unknown, output: Writable, encoder: Transform | null = null): Promise<void> =>
  encoder === null ? pipeline(csvChunks(operation, data), output) : pipeline(csvChunks(operation, data), encoder, output);
