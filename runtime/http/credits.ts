import type { Operation } from "../../generated/operations.gen.ts";

/** Quantities that a resolver counts and its response does not contain. */
export interface ChargedQuantities {
  /** Blocks in the range, for a cost per block; 1 by default. */
  blockCount: number;
  /** Hundredths of a credit for a requested extra. */
  extraHundredths: number;
}

/** Min cost of a response with a price per item, in hundredths of a credit. */
const minItemCost = 1;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null;

/** The objects that contain a response's rows: the elements of `data` if it is a list, otherwise `data` itself. */
export function parentsOf(operation: Pick<Operation, "list">, data: unknown): readonly Readonly<Record<string, unknown>>[] {
  const parents: readonly unknown[] = operation.list && Array.isArray(data) ? data : [data];
  return parents.filter(isObject);
}

/** The rows of one parent: the elements of its row array, or the parent itself if it has none. */
export function rowsOf(operation: Pick<Operation, "rows">, parent: Readonly<Record<string, unknown>>): readonly unknown[] {
  if (operation.rows === null) return [parent];
  const rows = parent[operation.rows];
  return Array.isArray(rows) ? rows : [];
}

/** The number of rows of a response. */
const countRows = (operation: Pick<Operation, "list" | "rows">, data: unknown): number =>
  parentsOf(operation, data).reduce((sum, parent) => sum + rowsOf(operation, parent).length, 0);

/** A response's cost in hundredths of a credit; 0 if the catalog defines no cost. */
export function costOf(
  operation: Pick<Operation, "cost" | "list" | "rows">,
  data: unknown,
  days: number,
  charged: ChargedQuantities,
): number {
  if (operation.cost === null) return 0;
  const { hundredths, per } = operation.cost;
  const base = {
    call: () => hundredths,
    item: () => Math.max(hundredths * countRows(operation, data), minItemCost),
    block: () => hundredths * charged.blockCount,
    "30-days": () => hundredths * Math.ceil(days / 30),
  }[per]();
  return base + charged.extraHundredths;
}

/** Formats hundredths for the X-Credits header: credits with at most two decimals. */
export const renderCredits = (hundredths: number): string => String(hundredths / 100);
