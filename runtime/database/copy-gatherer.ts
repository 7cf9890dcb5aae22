import { cellWriter } from "./copy-bytes.ts";
import { CopyError, type CopyType, type CopyValue, encoders } from "./copy-text.ts";

/** Bytes of the first chunk, each is twice the one before, and of the largest: its cost is its bytes, and a few of them may wait in the connection. */
const firstLength = 8 * 1024;
const largestLength = 256 * 1024;
const tab = 9;
const lineFeed = 10;
const missing = Buffer.from("\\N");

/** Rows as COPY's text, in chunks for the wire. */
export interface CopyChunks {
  readonly columns: readonly string[];
  readonly chunks: readonly Buffer[];
  readonly rows: number;
}

/**
 * Takes rows, keeps their text alone, and gives it when all are there; each begins with the same value. So what a batch holds in memory is
 * little more than what goes to the server, and a row lives no longer than it takes to write it down.
 */
export const createCopyGatherer = (
  table: string,
  [firstColumn, firstType, firstValue]: readonly [column: string, type: CopyType, value: CopyValue],
  types: Readonly<Record<string, CopyType>>,
) => {
  const names = Object.keys(types);
  const columns = [firstColumn, ...names];
  const [first] = encoders(table, [firstColumn], [firstType]);
  const prefix = Buffer.from(first?.(firstValue) ?? "");
  const cells = names.map((name) => ({ name, ...cellWriter(types[name] ?? "text") }));
  const chunks: Buffer[] = [];
  let chunk = Buffer.alloc(0);
  let nextLength = firstLength;
  let filled = 0;
  let closed = 0;
  let count = 0;
  const close = (): void => {
    if (filled > 0) chunks.push(chunk.subarray(0, filled));
    closed += filled;
    filled = 0;
  };
  /** A row may end in another chunk than it begins in: to the server they are one stream. */
  const makeRoom = (room: number): void => {
    if (filled + room <= chunk.length) return;
    close();
    chunk = Buffer.allocUnsafeSlow(Math.max(nextLength, room));
    nextLength = Math.min(largestLength, 2 * nextLength);
  };
  const addCell = ({ name, room, write }: (typeof cells)[number], value: CopyValue): void => {
    makeRoom(1 + (value === null ? missing.length : room(value)));
    chunk[filled] = tab;
    filled += 1;
    if (value === null) {
      filled += missing.copy(chunk, filled);
      return;
    }
    const end = write(value, chunk, filled);
    if (end < 0) throw new CopyError(table, name, types[name] ?? "text", value);
    filled = end;
  };
  return {
    /** A column that a row does not have is null. @throws {CopyError} */
    add: (rows: readonly Readonly<Record<string, CopyValue>>[]): void => {
      for (const row of rows) {
        makeRoom(prefix.length);
        filled += prefix.copy(chunk, filled);
        for (const cell of cells) addCell(cell, row[cell.name] ?? null);
        makeRoom(1);
        chunk[filled] = lineFeed;
        filled += 1;
      }
      count += rows.length;
    },
    /** Of the text so far. */
    bytes: (): number => closed + filled,
    take: (): CopyChunks => {
      close();
      chunk = Buffer.alloc(0);
      return { columns, chunks, rows: count };
    },
  };
};
