import type { CsvColumn, Operation } from "../../model/model.ts";

/** Renders the documented response as CSV (RFC 4180): a header line, then one line per row. */
export function csvExample(operation: Operation): string {
  const lines = rowsOf(operation).map((row) => operation.columns.map((column) => cell(valueAt(row, column))));
  const header = operation.columns.map((column) => cell(column.header));
  return [header, ...lines].map((line) => `${line.join(",")}\r\n`).join("");
}

interface Row {
  readonly row: unknown;
  readonly parent: unknown;
}

function rowsOf({ exampleData, rows, list }: Operation): Row[] {
  const parents: unknown[] = list && Array.isArray(exampleData) ? exampleData : [exampleData];
  return parents.flatMap((parent) => {
    const parentRows = rows === null ? [parent] : property(parent, rows);
    return Array.isArray(parentRows) ? parentRows.map((row: unknown) => ({ row, parent })) : [];
  });
}

const valueAt = (row: Row, { from, path }: CsvColumn): unknown => path.reduce<unknown>(property, row[from]);

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined;
}

function cell(value: unknown): string {
  const text = value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
