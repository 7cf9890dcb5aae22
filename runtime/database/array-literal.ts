import type { CopyType, CopyValue } from "./copy.ts";

/** The values as an array literal (PostgreSQL, section 8.15.6); the driver would create a Buffer for each item first. */
export const arrayLiteral = (values: readonly CopyValue[], type: CopyType | undefined): string => {
  const item = type === "bytea" ? bytesItem : type === "text" ? textItem : String;
  return `{${values.map((value) => (value === null ? "NULL" : item(value))).join(",")}}`;
};

const bytesItem = (value: CopyValue): string => `"\\\\x${String(value).slice(2)}"`;

/** Text may contain the literal's quotes and backslashes. */
const textItem = (value: CopyValue): string => `"${String(value).replace(/["\\]/g, "\\$&")}"`;
