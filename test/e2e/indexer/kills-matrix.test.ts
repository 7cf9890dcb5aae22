import { describe, expect, it } from "vitest";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import { killAndCompare } from "./kill-and-compare.ts";

describe("an index after 51 kills of its process", () => {
  it("has the same rows as an undisturbed index, at five points and at the end", { timeout: scaleTimeLimit(1_800_000) }, async () => {
    const seed = `51 kills ${Date.now()}`;
    const comparisons = await killAndCompare({ killCount: 51, comparisonCount: 5, seed });
    expect(comparisons).toHaveLength(6);
    for (const { killed, undisturbed } of comparisons) expect(killed, seed).toEqual(undisturbed);
  });
});
