import { createCellWriter } from "./cell-writer.ts";
import { CopyError, type CopyType, type CopyValue, createEncoders } from "./copy-text.ts";

/** The size of the first chunk; each later one is twice as large. */
const firstChunkBytes = 8 * 1024;
/** Limits the data that the connection buffers. */
const maxChunkBytes = 256 * 1024;
const tab = 9;
const lineFeed = 10;
const nullText = Buffer.from("\\N");

/** Rows in COPY text format, in chunks to send. */
export interface CopyChunks {
  readonly columns: readonly string[];
  readonly chunks: readonly Buffer[];
  readonly rowCount: number;
}

/**
 * Encodes rows as they are added and returns their text at the end; each row starts with the same value. A batch therefore occupies little more memory
 * than its text, and a row can be released as soon as it is encoded.
 */
export const createCopyEncoder = (
  table: string,
  [firstColumn, firstType, firstValue]: readonly [column: string, type: CopyType, value: CopyValue],
  types: Readonly<Record<string, CopyType>>,
) => {
  const names = Object.keys(types);
  const columns = [firstColumn, ...names];
  const [first] = createEncoders(table, [firstColumn], [firstType]);
  const prefix = Buffer.from(first?.(firstValue) ?? "");
  const cells = names.map((name) => ({ name, ...createCellWriter(types[name] ?? "text") }));
  const chunks: Buffer[] = [];
  let chunk = Buffer.alloc(0);
  let nextLength = firstChunkBytes;
  let filled = 0;
  let closedBytes = 0;
  let rowCount = 0;
  const close = (): void => {
    if (filled > 0) chunks.push(chunk.subarray(0, filled));
    closedBytes += filled;
    filled = 0;
  };
  /** A row may span chunks: the server reads one stream. */
  const reserve = (bytes: number): void => {
    if (filled + bytes <= chunk.length) return;
    close();
    chunk = Buffer.allocUnsafeSlow(Math.max(nextLength, bytes));
    nextLength = Math.min(maxChunkBytes, 2 * nextLength);
  };
  const addCell = ({ name, maxBytes, write }: (typeof cells)[number], value: CopyValue): void => {
    reserve(1 + (value === null ? nullText.length : maxBytes(value)));
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
    /** Encodes rows; a missing column is null. @throws {CopyError} if a value is invalid for its column. */
    add: (rows: readonly Readonly<Record<string, CopyValue>>[]): void => {
      for (const row of rows) {
        reserve(prefix.length);
        filled += prefix.copy(chunk, filled);
        for (const cell of cells) addCell(cell, row[cell.name] ?? null);
        reserve(1);
        chunk[filled] = lineFeed;
        filled += 1;
      }
      rowCount += rows.length;
    },
    /** The number of text bytes so far. */
    bytes: (): number => closedBytes + filled,
    /** Returns the encoded rows; must be called only once, at the end. */
    take: (): CopyChunks => {
      close();
      chunk = Buffer.alloc(0);
      return { columns, chunks, rowCount };
    },
  };
};
