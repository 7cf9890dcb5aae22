import { describe, expect, it } from "vitest";
import { reservePrice } from "../../../../runtime/api/dex/reserve-price.ts";
import { shareOf } from "../../../../runtime/domains/dex/queries/valuation.ts";

describe("the price of one token in the other", () => {
  it.each([
    // 2 whole tokens with 18 decimals against 5,000 with 6 decimals: 2,500.
    ["2000000000000000000", 18, "5000000000", 6, 2_500],
    ["5000000000", 6, "2000000000000000000", 18, 0.0004],
    // 4 tokens with 0 decimals against 1 with 36 decimals.
    ["4", 0, `1${"0".repeat(36)}`, 36, 0.25],
    [`1${"0".repeat(36)}`, 36, "4", 0, 4],
    ["3", 0, "1", 0, 1 / 3],
    [String(2n ** 112n - 1n), 0, "1", 36, 1 / (2 ** 112 * 1e36)],
  ])("is computed for %s with %i decimals against %s with %i: %d", (first, firstDecimals, second, secondDecimals, price) => {
    const actual = reservePrice({ amount: first, decimals: firstDecimals }, { amount: second, decimals: secondDecimals });
    expect((actual ?? 0) / price).toBeCloseTo(1, 12);
  });

  it.each([
    ["0", 18, "5", 18],
    ["5", 18, "0", 18],
    [null, 18, "5", 18],
    ["5", null, "5", 18],
    ["5", 18, "5", null],
  ])("is unknown for %s (%s) against %s (%s)", (first, firstDecimals, second, secondDecimals) => {
    expect(reservePrice({ amount: first, decimals: firstDecimals }, { amount: second, decimals: secondDecimals })).toBeNull();
  });
});

describe("the share of a reserve", () => {
  it("is rounded down", () => {
    expect(shareOf("10", "1", "3")).toBe("3");
    expect(shareOf(String(2n ** 112n), String(2n ** 200n), String(2n ** 201n))).toBe(String(2n ** 111n));
  });

  it.each([
    [null, "1", "3"],
    ["10", null, "3"],
    ["10", "1", null],
    ["10", "1", "0"],
  ])("is unknown for %s, %s, %s", (reserve, balance, supply) => {
    expect(shareOf(reserve, balance, supply)).toBeNull();
  });
});
