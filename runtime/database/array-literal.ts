import type { CopyType, CopyValue } from "./copy.ts";

/** An array literal of the values (PostgreSQL, section 8.15.6); the driver would create a Buffer for each item first. */
export const arrayLiteral = (values: readonly CopyValue[], type: CopyType | undefined): string => {
  const item = type === "bytea" ? bytesItem : type === "text" ? textItem : String;
  return `{${values.map((value) => (value === null ? "NULL" : item(value))).join(",")}}`;
};

const bytesItem = (value: CopyValue): string => `"\\\\x${String(value).slice(2)}"`;

/** Text may contain the quotes and backslashes of the literal. */
const textItem = (value: CopyValue): string => `"${String(value).replace(/["\\]/g, "\\$&")}"`;
