import { cellWriter } from "./copy-bytes.ts";
import { CopyError, type CopyType, type CopyValue, encoders } from "./copy-text.ts";

/** Bytes of the first chunk, doubled for each further one, and their max: large enough for a small overhead, small enough that the connection buffers few. */
const firstLength = 8 * 1024;
const maxLength = 256 * 1024;
const tab = 9;
const lineFeed = 10;
const nullText = Buffer.from("\\N");

/** Rows as COPY's text, in chunks for the wire. */
export interface CopyChunks {
  readonly columns: readonly string[];
  readonly chunks: readonly Buffer[];
  readonly rows: number;
}

/**
 * Encodes rows as they are added and returns their text at the end; each row begins with the same value. A batch thus occupies little more memory than is sent
 * to the server, and a row can be released as soon as it is encoded.
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
  /** A row may span chunks: the server reads one stream. */
  const makeRoom = (room: number): void => {
    if (filled + room <= chunk.length) return;
    close();
    chunk = Buffer.allocUnsafeSlow(Math.max(nextLength, room));
    nextLength = Math.min(maxLength, 2 * nextLength);
  };
  const addCell = ({ name, room, write }: (typeof cells)[number], value: CopyValue): void => {
    makeRoom(1 + (value === null ? nullText.length : room(value)));
    chunk[filled] = tab;
    filled += 1;
    if (value === null) {
      filled += nullText.copy(chunk, filled);
      return;
    }
    const end = write(value, chunk, filled);
    if (end < 0) throw new CopyError(table, name, types[name] ?? "text", value);
    filled = end;
  };
  return {
    /** A missing column is null. @throws {CopyError} */
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
    /** The bytes of the text so far. */
    bytes: (): number => closed + filled,
    take: (): CopyChunks => {
      close();
      chunk = Buffer.alloc(0);
      return { columns, chunks, rows: count };
    },
  };
};
