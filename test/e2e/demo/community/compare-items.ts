import { expect } from "vitest";
import type { ExpectedItems, Fields } from "./expected.ts";

type Item = Readonly<Record<string, unknown>>;

/** Compares numbers with a relative tolerance of 1e-9, but at least 1e-12 absolute, because smaller growth rates are rounding errors. */
const compareNumber = (actual: unknown, expected: number, label: string): void =>
  expect(Math.abs((actual as number) - expected), `${label}: ${actual} for ${expected}`).toBeLessThanOrEqual(
    1e-9 * Math.max(Math.abs(expected), 1e-3),
  );

/** Compares fields, and returns how many of them are numbers. */
const compareFields = (item: Item, expected: Fields, label: string): number => {
  let numberCount = 0;
  for (const [name, value] of Object.entries(expected)) {
    const [actual, path] = [item[name], `${label}, ${name}`];
    if (Array.isArray(value)) {
      expect(actual, path).toHaveLength(value.length);
      for (const [position, fields] of value.entries()) numberCount += compareFields((actual as Item[])[position] ?? {}, fields, path);
    } else if (typeof value === "number") {
      compareNumber(actual, value, path);
      numberCount += 1;
    } else {
      expect(actual, path).toBe(value);
      if (/^\d+$/.test(String(value))) numberCount += 1;
    }
  }
  return numberCount;
};

/** Compares items with the expected ones, and returns how many of the compared fields are numbers. */
export const compareItems = (items: readonly Item[], expected: ExpectedItems, label: string): number => {
  const keyOf = ({ position, pool_address }: Item): string =>
    position === undefined ? String(pool_address) : `${position} ${pool_address}`;
  const byKey = new Map(items.map((item) => [keyOf(item), item]));
  expect([...byKey.keys()].sort(), label).toEqual(Object.keys(expected).sort());
  expect(items, label).toHaveLength(byKey.size);
  return Object.entries(expected).reduce((sum, [key, fields]) => sum + compareFields(byKey.get(key) ?? {}, fields, `${label}, ${key}`), 0);
};
