import { type CopyType, type CopyValue, encoders } from "./copy-text.ts";

/** Bytes of the first chunk, each is twice the one before, and of the largest: its cost is its bytes, and a few of them may wait in the connection. */
const firstLength = 8 * 1024;
const largestLength = 256 * 1024;
/** UTF-8 needs at most so many bytes for one unit of a JavaScript string. */
const bytesOfUnit = 3;

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
  const [first, ...encode] = encoders(table, columns, [firstType, ...Object.values(types)]);
  const prefix = first?.(firstValue) ?? "";
  const width = names.length;
  // What is only digits and signs has one byte a character, which is sooner written.
  const encoding = Object.values(types).some((type) => type === "text" || type === "jsonb") ? "utf8" : "latin1";
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
  const makeRoom = (units: number): void => {
    if (filled + units * bytesOfUnit <= chunk.length) return;
    close();
    chunk = Buffer.allocUnsafeSlow(Math.max(nextLength, units * bytesOfUnit));
    nextLength = Math.min(largestLength, 2 * nextLength);
  };
  return {
    /** A column that a row does not have is null. @throws {CopyError} */
    add: (rows: readonly Readonly<Record<string, CopyValue>>[]): void => {
      for (const row of rows) {
        let line = prefix;
        for (let index = 0; index < width; index += 1) line += `\t${encode[index]?.(row[names[index] ?? ""] ?? null)}`;
        line += "\n";
        makeRoom(line.length);
        filled += chunk.write(line, filled, encoding);
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
