import { type CopyType, type CopyValue, encoderOf, isArrayType } from "./copy-text.ts";

/** Writes a value's text into a buffer at an offset and returns the offset after it; -1 for a value that the type cannot represent. */
export interface CellWriter {
  /** The max number of bytes in the value's text. */
  readonly maxBytes: (value: CopyValue) => number;
  readonly write: (value: CopyValue, target: Buffer, at: number) => number;
}

const backslash = 0x5c;
const zero = 0x30;
const letterX = 0x78;
/** More than the text of any fixed-width number, date or boolean. */
const maxBytesOfShort = 512;
/** Escaping doubles a character, and UTF-8 needs at most three bytes for a code unit of a JavaScript string. */
const maxBytesPerUnit = 6;
/** Digits of smaller integers are computed in a loop, with 32-bit arithmetic. */
const maxLoopInteger = 2 ** 31;

const isHexDigit = new Uint8Array(256);
for (const digit of "0123456789abcdefABCDEF") isHexDigit[digit.charCodeAt(0)] = 1;

/** Writes a column in COPY text format. It writes bytes directly, because creating a string for each value would cost more than writing its bytes. */
export const createCellWriter = (type: CopyType): CellWriter => {
  if (type === "bytea") return { maxBytes: maxBytesOfBytea, write: writeBytea };
  if (type === "int2" || type === "int4" || type === "int8") return { maxBytes: () => maxBytesOfShort, write: writeInteger };
  const encode = encoderOf(type);
  const writeEncoded = (value: CopyValue, target: Buffer, at: number): number => {
    const text = encode(value);
    return text === undefined ? -1 : at + target.write(text, at, "utf8");
  };
  if (isArrayType(type)) return { maxBytes: maxBytesOfArray, write: writeEncoded };
  if (type !== "numeric") return { maxBytes: maxBytesOfString, write: writeEncoded };
  const writeNumeric = (value: CopyValue, target: Buffer, at: number): number => {
    if (typeof value === "number") return writeInteger(value, target, at);
    const text = encode(value);
    return text === undefined ? -1 : writeAscii(text, target, at);
  };
  return { maxBytes: maxBytesOfNumeric, write: writeNumeric };
};

const maxBytesOfString = (value: CopyValue): number => (typeof value === "string" ? maxBytesPerUnit * value.length : maxBytesOfShort);

/** The escaped prefix `\\x` is one byte longer than 0x. */
const maxBytesOfBytea = (value: CopyValue): number => (typeof value === "string" ? 1 + value.length : maxBytesOfShort);

/** An EVM word has at most 78 digits; larger values are rare, so their text is measured. */
const maxBytesOfNumeric = (value: CopyValue): number => {
  if (typeof value === "bigint" && (value >= wordLimit || value <= -wordLimit)) return String(value).length;
  return maxBytesOfString(value);
};
const wordLimit = 2n ** 256n;

/** An item of bytes is six characters longer than its value: a comma, two quotes, and three more backslashes. */
const maxBytesPerItem = 8;

const maxBytesOfArray = (value: CopyValue): number => {
  if (!Array.isArray(value)) return maxBytesOfShort;
  return value.reduce<number>(
    (sum, item: CopyValue) => sum + maxBytesPerItem + (typeof item === "string" ? item.length : maxBytesOfNumeric(item)),
    maxBytesPerItem,
  );
};

const writeBytea = (value: CopyValue, target: Buffer, at: number): number => {
  if (typeof value !== "string") return -1;
  const { length } = value;
  if (length < 2 || length % 2 !== 0 || value.charCodeAt(0) !== zero || value.charCodeAt(1) !== letterX) return -1;
  target[at] = backslash;
  target[at + 1] = backslash;
  target[at + 2] = letterX;
  let next = at + 3;
  for (let index = 2; index < length; index += 1) {
    const code = value.charCodeAt(index);
    if (isHexDigit[code] !== 1) return -1;
    target[next] = code;
    next += 1;
  }
  return next;
};

const writeInteger = (value: CopyValue, target: Buffer, at: number): number => {
  if (typeof value === "bigint") {
    const text = String(value);
    return text.length > maxBytesOfShort ? -1 : writeAscii(text, target, at);
  }
  if (typeof value !== "number" || !Number.isSafeInteger(value)) return -1;
  if (value < 0 || value >= maxLoopInteger) return writeAscii(String(value), target, at);
  let end = at + 1;
  for (let rest = value; rest >= 10; rest = (rest / 10) | 0) end += 1;
  let offset = end;
  let rest = value | 0;
  do {
    offset -= 1;
    target[offset] = zero + (rest % 10);
    rest = (rest / 10) | 0;
  } while (offset > at);
  return end;
};

const writeAscii = (text: string, target: Buffer, at: number): number => {
  for (let index = 0; index < text.length; index += 1) target[at + index] = text.charCodeAt(index);
  return at + text.length;
};
