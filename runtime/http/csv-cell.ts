import type { CsvColumn } from "../../generated/operations.gen.ts";

/** How a spreadsheet formula starts, even after white space; some locales accept full-width characters. */
const formula = /^[\s\p{Cc}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u;
const numeral = /^-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?$/i;

/** Text that no spreadsheet evaluates: a leading apostrophe marks it as text and is not displayed. */
const escapeFormula = (text: string): string => (formula.test(text) ? `'${text}` : text);

/** One cell, unquoted: empty for null, a numeral for numbers, compact JSON for arrays and objects. */
export function renderCell(value: unknown, kind: CsvColumn["kind"]): string {
  if (value === null || value === undefined) return "";
  if (kind === "json" || typeof value === "object") return JSON.stringify(value);
  const text = String(value);
  // A numeric column may contain text such as UNLIMITED.
  return kind === "number" && numeral.test(text) ? text : escapeFormula(text);
}
