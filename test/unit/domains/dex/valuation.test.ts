import { describe, expect, it } from "vitest";
import {
  annualizedFee,
  feesOf,
  liquidityValue,
  pairValue,
  swapValue,
  volumeOfSpans,
  volumeValue,
} from "../../../../runtime/domains/dex/queries/valuation.ts";
import { emptyPoolState, type PoolState } from "../../../../runtime/domains/pools/queries/state.ts";
import { type Decimal, parseDecimal, toNumber } from "../../../../runtime/lib/decimal.ts";

/** Prices per smallest unit: a token with 6 decimals at 2 dollars, and one with 18 decimals at 3,000 dollars. */
const [price6, price18] = [parseDecimal("0.000002"), parseDecimal("0.000000000000003")];
const number = (value: Decimal | null): number | null => (value === null ? null : toNumber(value));
const amountsOf = (...[in0 = "0", out0 = "0", in1 = "0", out1 = "0"]: readonly string[]) => ({
  amount0_in: in0,
  amount0_out: out0,
  amount1_in: in1,
  amount1_out: out1,
});
const state = (swaps: number, ...amounts: readonly string[]): PoolState => ({ ...emptyPoolState, ...amountsOf(...amounts), swaps });

describe("the value of swaps", () => {
  const amounts = amountsOf("5000000", "1000000", "2000000000000000000", "500000000000000000");
  it.each([
    // 5 tokens at 2 dollars and 2 at 3,000 were paid in.
    ["computed from the amounts paid in, if both prices are known", price6, price18, 6_010],
    // 5 in and 1 out, at 2 dollars each; 2 in and a half out, at 3,000 each.
    ["computed from the amounts in and out of the first token, if only its price is known", price6, null, 12],
    ["computed from the amounts in and out of the second token, if only its price is known", null, price18, 7_500],
    ["unknown without prices", null, null, null],
  ])("is %s", (_, first, second, expected) => {
    expect(number(swapValue(amounts, [first, second]))).toBe(expected);
  });

  it("is exact for tokens with 0 and 36 decimals", () => {
    // 3 at 7 dollars each, and 10^36 smallest units (one token) at 1.01 dollars.
    expect(number(swapValue(amountsOf("3", "0", `1${"0".repeat(36)}`), [parseDecimal("7"), parseDecimal(`0.${"0".repeat(35)}101`)]))).toBe(
      22.01,
    );
  });
});

describe("the value of a span", () => {
  it("is the difference between the sums", () => {
    expect(number(volumeValue(state(3, "1000000"), state(4, "4000000"), [price6, price18]))).toBe(6);
  });

  it("is 0 without swaps, even if prices are unknown", () => {
    expect(number(volumeValue(state(3, "1"), state(3, "1"), [null, null]))).toBe(0);
  });

  it("is the sum of seven days at each day's prices, and unknown if a day with swaps has an unknown price", () => {
    // Newest first: 3 tokens on the last day at 2 dollars, none on the previous day, 1 on the first day at 10 dollars.
    const states = [state(4, "4000000"), state(2, "1000000"), state(2, "1000000"), state(1)];
    const ten = parseDecimal("0.00001");
    const pair = (first: Decimal | null) => [first, price18] as const;
    expect(number(volumeOfSpans(states, [pair(price6), pair(null), pair(ten)]))).toBe(16);
    expect(
      number(
        volumeOfSpans(states, [
          [price6, null],
          [null, null],
          [ten, null],
        ]),
      ),
    ).toBe(16);
    expect(
      volumeOfSpans(states, [
        [price6, null],
        [null, null],
        [null, null],
      ]),
    ).toBeNull();
  });
});

describe("the valuation of liquidity and fees", () => {
  it("includes both reserves", () => {
    expect(number(liquidityValue({ reserve0: "1500000", reserve1: "1000000000000000000" }, [price6, price18]))).toBe(3_003);
    expect(number(pairValue(["0", "0"], [price6, price18]))).toBe(0);
  });

  it.each([
    [null, "1", price6, price18],
    ["1", null, price6, price18],
    ["1", "1", null, price18],
    ["1", "1", price6, null],
  ])("is unknown if a reserve (%s, %s) or its price is unknown", (reserve0, reserve1, first, second) => {
    expect(liquidityValue({ reserve0, reserve1 }, [first, second])).toBeNull();
  });

  it("includes the exchange's share of the volume, extrapolated to a year", () => {
    const fees = feesOf(parseDecimal("1000"), 3_000);
    expect(number(fees)).toBe(3);
    // 3 dollars per day on 10,000 are 1,095 per year.
    expect(number(annualizedFee(fees, parseDecimal("10000")))).toBe(0.1095);
    expect(feesOf(parseDecimal("1000"), undefined)).toBeNull();
    expect(feesOf(null, 3_000)).toBeNull();
    expect(annualizedFee(fees, parseDecimal("0"))).toBeNull();
    expect(annualizedFee(fees, null)).toBeNull();
    expect(annualizedFee(null, parseDecimal("1"))).toBeNull();
  });
});
