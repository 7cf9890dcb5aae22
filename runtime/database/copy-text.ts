import { isBytes } from "./codecs.ts";

export type CopyType =
  | "bool"
  | "bytea"
  | "bytea[]"
  | "date"
  | "float8"
  | "int2"
  | "int4"
  | "int8"
  | "jsonb"
  | "numeric"
  | "numeric[]"
  | "text"
  | "timestamptz";

/** bytea as `0x…`; numeric as decimal text, bigint or integer; int as integer or bigint; date as YYYY-MM-DD; jsonb as JSON text. */
export type CopyItem = string | number | bigint | boolean | Date | null;

/** A value, or an array's items. */
export type CopyValue = CopyItem | readonly CopyItem[];

/** A value that is invalid for its column, detected before it is sent. */
export class CopyError extends Error {
  override readonly name = "CopyError";

  constructor(table: string, column: string, type: CopyType, value: unknown) {
    super(`Invalid value ${shown(value)} for column ${column} of ${table}: expected type ${type}.`);
  }
}

type Encode = (value: CopyValue) => string | undefined;

/** Creates one encoder per column, which converts a value to COPY's text format (PostgreSQL manual, COPY, "Text Format"). */
export function createEncoders(
  table: string,
  columns: readonly string[],
  types: readonly CopyType[],
): ((value: CopyValue | undefined) => string)[] {
  if (columns.length !== types.length)
    throw new RangeError(`Invalid COPY into ${table}: expected a type for each of ${columns.length} columns, got ${types.length} types.`);
  return types.map((type, index) => {
    const encode = encodeAs[type];
    return (value) => {
      if (value === null) return "\\N";
      const text = value === undefined ? undefined : encode(value);
      if (text === undefined) throw new CopyError(table, columns[index] ?? "", type, value);
      return text;
    };
  });
}

/** A type's encoder for values other than null; it returns undefined for values that are invalid for the type. */
export const encoderOf = (type: CopyType): Encode => encodeAs[type];

const decimalPattern = /^-?\d+(?:\.\d+)?$/;
const dayPattern = /^\d{4}-\d\d-\d\d$/;

const integer: Encode = (value) => {
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : undefined;
  return typeof value === "bigint" ? String(value) : undefined;
};

/** Escapes backslashes and the characters that would end a field or a row; PostgreSQL's text cannot contain NUL. */
const text: Encode = (value) => {
  if (typeof value !== "string") return undefined;
  if (!/[\\\n\r\t\0]/.test(value)) return value;
  return value.includes("\0") ? undefined : value.replace(/[\\\n\r\t]/g, (character) => escapes[character] ?? character);
};
const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

const bytes: Encode = (value) => (typeof value === "string" && isBytes(value) ? `\\\\x${value.slice(2)}` : undefined);

const numeric: Encode = (value) => (typeof value === "string" ? (decimalPattern.test(value) ? value : undefined) : integer(value));

/** Encoded items as an array literal (PostgreSQL, section 8.15.6). */
const arrayOf =
  (encodeItem: Encode): Encode =>
  (value) => {
    if (!Array.isArray(value)) return undefined;
    const items = value.map((item: CopyItem) => (item === null ? "NULL" : encodeItem(item)));
    return items.includes(undefined) ? undefined : `{${items.join(",")}}`;
  };

/** Inside the quotes of an array's item, the backslash is escaped once for the array and once for COPY. */
const bytesItem: Encode = (value) => (typeof value === "string" && isBytes(value) ? `"\\\\\\\\x${value.slice(2)}"` : undefined);

/** Each encoder returns undefined for a value that is invalid for its type. */
const encodeAs: Readonly<Record<CopyType, Encode>> = {
  bool: (value) => (typeof value === "boolean" ? (value ? "t" : "f") : undefined),
  bytea: bytes,
  "bytea[]": arrayOf(bytesItem),
  date: (value) => (typeof value === "string" && dayPattern.test(value) ? value : undefined),
  float8: (value) => (typeof value === "number" ? String(value) : undefined),
  int2: integer,
  int4: integer,
  int8: integer,
  jsonb: text,
  numeric,
  "numeric[]": arrayOf(numeric),
  text,
  // toISOString() renders years beyond 9999 in ISO 8601's expanded format, which the server does not accept.
  timestamptz: (value) =>
    value instanceof Date && value.getTime() < 253_402_300_800_000 && value.getTime() >= -62_135_596_800_000
      ? value.toISOString()
      : undefined,
};

/** Whether columns of this type hold arrays. */
export const isArrayType = (type: CopyType): boolean => type === "bytea[]" || type === "numeric[]";

function shown(value: unknown): string {
  const rendered = typeof value === "string" ? JSON.stringify(value) : String(value);
  return rendered.length > 100 ? `${rendered.slice(0, 100)}…` : rendered;
}
