import type { Hex } from "../lib/hex.ts";

const digits = /^0x[0-9a-fA-F]*$/;

/** Whether the text is 0x followed by an even number of hex digits. */
export const isBytes = (text: string): text is Hex => text.length % 2 === 0 && digits.test(text);

/** A bytea parameter. @throws {RangeError} unless the text is 0x followed by an even number of hex digits. */
export const bytes = (hex: string): Buffer => Buffer.from(digitsOf(hex), "hex");

/** A bytea[] parameter, as an array literal: the driver would convert each item to a Buffer first. @throws {RangeError} see `bytes`. */
export const bytesArray = (hexes: Iterable<string>): string => `{${Array.from(hexes, (hex) => `"\\\\x${digitsOf(hex)}"`).join(",")}}`;

function digitsOf(hex: string): string {
  if (!isBytes(hex))
    throw new RangeError(`Invalid bytes ${JSON.stringify(hex.slice(0, 100))}: expected 0x followed by an even number of hex digits.`);
  return hex.slice(2);
}

/** Converts the server's `\x…` (bytea_output = hex, the default) to `0x…`, without an intermediate Buffer. */
export function parseBytes(text: string): Hex {
  if (!text.startsWith("\\x")) throw new RangeError('Unsupported bytea format "escape": set bytea_output to hex for this database role.');
  return `0x${text.slice(2)}`;
}

/** Parses a bytea[] literal such as `{"\\x00",NULL}`. */
export function parseBytesArray(text: string): (Hex | null)[] {
  // Each item is NULL, or quoted with a doubled backslash: "\\x…".
  return parseTextItems(text).map((item) => (item === null ? null : parseBytes(item.slice(2, -1))));
}

/** The items of a one-dimensional array literal whose items contain no comma: numbers, or quoted hex. */
export function parseTextItems(text: string): (string | null)[] {
  if (text === "{}") return [];
  return text
    .slice(1, -1)
    .split(",")
    .map((item) => (item === "NULL" ? null : item));
}

/** Parses an int8 as a number. @throws {RangeError} if it exceeds 2^53 - 1, above which numbers are not exact. */
export function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`Unsafe int8 ${text}: the maximum is 2^53 - 1; cast it to numeric or text in SQL.`);
  return value;
}
