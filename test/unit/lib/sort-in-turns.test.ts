import { describe, expect, it } from "vitest";
import { sortInTurns } from "../../../runtime/lib/sort-in-turns.ts";
import { countIterations } from "./count-iterations.ts";

/** Pseudorandom numbers (an LCG with the constants of Numerical Recipes). */
function numbers(count: number, below: number): number[] {
  let state = 1;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  });
}

describe("sortInTurns", () => {
  it.each([0, 1, 511, 512, 513, 1_024, 1_537, 20_000])("sorts %i items like a stable sort", async (count) => {
    // Few different keys make the order of equal items visible.
    const items = numbers(count, 100).map((key, position) => ({ key, position }));
    const sorted = await sortInTurns(items, (left, right) => left.key - right.key);
    expect(sorted).toEqual(items.toSorted((left, right) => left.key - right.key));
  });

  it("lets other work run in between", async () => {
    const items = numbers(100_000, 1_000_000);
    // Sorting 100,000 items takes at least 1,400,000 comparisons. Ten turns take 20 ms, less than 15 ns per comparison of two texts.
    const iterations = await countIterations(() => sortInTurns(items, (left, right) => String(left).localeCompare(String(right))));
    expect(iterations).toBeGreaterThanOrEqual(10);
  });
});
