import type { Row } from "../../../indexer/projection.ts";
import type { Compared } from "../../../lib/audit-row.ts";

/** A value of a column as text, the same for the value that was decoded and for the stored one. */
export const cellText = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(cellText).join()}]`;
  return value === undefined ? "null" : String(value);
};

/** A comparison of two rows with the columns that differ; null where there is no row. */
export const compareRow = (
  subject: string,
  columns: readonly string[],
  stored: Row | null,
  expected: Row | null,
): Compared & { readonly index: string; readonly node: string } => {
  if (stored === null || expected === null)
    return { subject, index: stored === null ? "no row" : "a row", node: expected === null ? "no row" : "a row" };
  const different = columns.filter((column) => cellText(stored[column]) !== cellText(expected[column]));
  const textOf = (row: Row): string => different.map((column) => `${column} ${cellText(row[column])}`).join(", ");
  return { subject, index: textOf(stored), node: textOf(expected) };
};
