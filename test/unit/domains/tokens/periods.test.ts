import { describe, expect, it } from "vitest";
import { pivotOf, pivotsOf } from "../../../../runtime/domains/tokens/projection/periods.ts";

/** Returns the exponent of the highest power of two that divides a height; infinity for 0. */
const exponentOfTwo = (height: number): number => {
  let count = 0;
  for (let rest = height; rest > 0 && rest % 2 === 0; rest /= 2) count += 1;
  return height === 0 ? Number.POSITIVE_INFINITY : count;
};
const range = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, position) => first + position);

describe("the pivot of a period", () => {
  it("is the block that is divisible by the highest power of two", () => {
    for (const first of range(0, 70)) {
      for (const last of range(first, 70)) {
        const expected = range(first, last).reduce((best, height) => (exponentOfTwo(height) > exponentOfTwo(best) ? height : best));
        expect(pivotOf(first, last), `${first} to ${last}`).toBe(expected);
      }
    }
  });

  it("is among the pivots of every block in the period", () => {
    for (const block of range(0, 70)) {
      const pivots = new Set(pivotsOf(block));
      for (const first of range(0, block)) for (const last of range(block, 70)) expect(pivots).toContain(pivotOf(first, last));
    }
  });

  it("is found for heights beyond 32 bits, among few candidates", () => {
    const block = 2 ** 33 + 12_345;
    expect(pivotOf(block - 5_000, block + 10)).toBe(2 ** 33 + 8_192);
    expect(pivotsOf(block)).toContain(2 ** 33 + 8_192);
    expect(pivotsOf(block).length).toBeLessThanOrEqual(41);
  });
});
