import type { Row } from "../../../indexer/projection.ts";
import type { Compared } from "../../../lib/audit-row.ts";

/** A column value as text, in the same format for decoded and stored values. */
export const cellText = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(cellText).join()}]`;
  return value === undefined ? "null" : String(value);
};

/** Compares two rows and shows the columns that differ. A row is null if it does not exist. */
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
