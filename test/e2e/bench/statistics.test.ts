import { describe, expect, it } from "vitest";
import { compareTenths } from "../../../bench/indexing/tenths.ts";
import { median } from "../../../bench/result.ts";
import { parseStat } from "../../../bench/support/cpu-time.ts";
import { createRandom, hexOf } from "../../../bench/support/random.ts";

describe("benchmark statistics", () => {
  it("use the median measurement", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4])).toBe(4);
  });

  it("compare the first tenth of a run with the last, even if a commit spans the boundary", () => {
    // 1,000 blocks: the first 200 in 400 ms (2 ms each), the last 500 in 500 ms (1 ms each).
    const commitTimes = [
      { block: 200, milliseconds: 400 },
      { block: 500, milliseconds: 900 },
      { block: 1_000, milliseconds: 1_400 },
    ];
    expect(compareTenths(commitTimes)).toEqual({ first: 2, last: 1 });
  });

  it("parse a process's CPU time even if its program name has spaces and parentheses", () => {
    // proc_pid_stat(5): field 4 is the parent; fields 14 to 17 are CPU times, for the process and for its exited children.
    const line = "42 (post (gres) x) S 7 42 42 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 1 0 1 2 3";
    expect(parseStat(line)).toEqual({ id: 42, parent: 7, program: "post (gres) x", ticks: 100 });
  });
});

describe("generated numbers", () => {
  it("are identical for the same seed", () => {
    const [left, right] = [createRandom(3), createRandom(3)];
    expect(Array.from({ length: 5 }, left)).toEqual(Array.from({ length: 5 }, right));
  });

  it("are uniformly distributed", () => {
    const random = createRandom(1);
    const mean = Array.from({ length: 10_000 }, random).reduce((sum, value) => sum + value, 0) / 10_000;
    // The mean of 10,000 uniform numbers has a standard deviation of 1 / sqrt(12 * 10,000) = 0.003; the limit is five standard deviations.
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.015);
  });

  it("yield distinct addresses", () => {
    const addresses = new Set(Array.from({ length: 100_000 }, (_, index) => hexOf(2, index, 5)));
    expect(addresses.size).toBe(100_000);
    expect(hexOf(2, 1, 5)).toMatch(/^0x[0-9a-f]{40}$/);
    expect(hexOf(2, 1, 5)).not.toBe(hexOf(3, 1, 5));
  });
});
