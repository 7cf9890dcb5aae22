import { describe, expect, it } from "vitest";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import { killAndCompare } from "./kill-and-compare.ts";

describe("an index after kills of its process at random times", () => {
  it("has the same rows as an undisturbed index, at five points and at the end", { timeout: scaleTimeLimit(480_000) }, async () => {
    const seed = `kills ${Date.now()}`;
    const comparisons = await killAndCompare({ killCount: 11, comparisonCount: 5, seed });
    expect(comparisons).toHaveLength(6);
    for (const { killed, undisturbed } of comparisons) expect(killed, seed).toEqual(undisturbed);
  });
});
