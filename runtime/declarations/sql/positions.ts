import type { SourceLocation } from "../diagnostics.ts";

/** The positions of a SQL file. */
export interface Positions {
  /** The location of a byte in its UTF-8 text. */
  readonly locationOfByte: (offset: number) => SourceLocation;
  /** The location of a Unicode character. */
  readonly locationOfCharacter: (offset: number) => SourceLocation;
}

/** Converts the offsets that the parser reports to lines and columns. */
export function positionsIn(file: string, text: string): Positions {
  const bytes = Buffer.from(text);
  const endOf = (before: string): SourceLocation => {
    const lines = before.split("\n");
    return { file, line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
  };
  return {
    locationOfByte: (offset) => endOf(bytes.subarray(0, offset).toString()),
    locationOfCharacter: (offset) => endOf([...text].slice(0, offset).join("")),
  };
}
