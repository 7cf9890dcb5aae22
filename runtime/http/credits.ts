import type { Operation } from "../../generated/operations.gen.ts";

/** What a resolver counted that its answer does not show. */
export interface Counted {
  /** Blocks of the range, for a cost by the block; one where the resolver counts none. */
  blocks: number;
  /** Hundredths of a credit for an extra that was asked for. */
  extraHundredths: number;
}

const smallestItemCost = 1;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null;

/** The objects whose rows an answer lists: the elements of `data` where it is a list, else `data` itself. */
export function parentsOf(operation: Pick<Operation, "list">, data: unknown): readonly Readonly<Record<string, unknown>>[] {
  const parents: readonly unknown[] = operation.list && Array.isArray(data) ? data : [data];
  return parents.filter(isObject);
}

/** One parent's rows: the elements of its row array, or itself where there is none. */
export function rowsOf(operation: Pick<Operation, "rows">, parent: Readonly<Record<string, unknown>>): readonly unknown[] {
  if (operation.rows === null) return [parent];
  const rows = parent[operation.rows];
  return Array.isArray(rows) ? rows : [];
}

/** How many rows an answer has. */
const countRows = (operation: Pick<Operation, "list" | "rows">, data: unknown): number =>
  parentsOf(operation, data).reduce((sum, parent) => sum + rowsOf(operation, parent).length, 0);

/** What an answer costs in whole hundredths of a credit; nothing where no cost is stated. */
export function costOf(operation: Pick<Operation, "cost" | "list" | "rows">, data: unknown, days: number, counted: Counted): number {
  if (operation.cost === null) return 0;
  const { hundredths, per } = operation.cost;
  const base = {
    call: () => hundredths,
    item: () => Math.max(hundredths * countRows(operation, data), smallestItemCost),
    block: () => hundredths * counted.blocks,
    "30-days": () => hundredths * Math.ceil(days / 30),
  }[per]();
  return base + counted.extraHundredths;
}

/** Hundredths as the X-Credits header writes them: credits with at most two decimals. */
export const renderCredits = (hundredths: number): string => String(hundredths / 100);
