import { describe, expect, it } from "vitest";
import { estimateGasPrices, renderDuration } from "../../../runtime/domains/chains/estimate-gas-prices.ts";

const sample = (price: number, base: number | null, used = 21_000, l1: number | null = null) => ({
  gas_price: String(price),
  gas_used: used,
  base_fee: base === null ? null : String(base),
  l1_fee: l1 === null ? null : String(l1),
});

describe("a gas price estimate", () => {
  it("is the newest base fee plus a percentile of the tips", () => {
    // Tips 1 to 10 above different base fees; of ten, the nearest ranks at 90, 50 and 10 percent are the 9th, the 5th and the 1st.
    const samples = Array.from({ length: 10 }, (_, index) => sample(100 * index + index + 1, 100 * index, 50_000 + index));
    expect(estimateGasPrices(samples, "7000", 12)).toEqual([
      { gasPrice: 7_009n, gasSpent: 50_004, l1Fee: null, interval: "12 seconds" },
      { gasPrice: 7_005n, gasSpent: 50_004, l1Fee: null, interval: "36 seconds" },
      { gasPrice: 7_001n, gasSpent: 50_004, l1Fee: null, interval: "2 minutes" },
    ]);
  });

  it("is a percentile of the prices on a chain without a base fee", () => {
    const estimates = estimateGasPrices([sample(30, null), sample(10, null), sample(20, null)], null, 3);
    expect(estimates.map(({ gasPrice }) => gasPrice)).toEqual([30n, 20n, 10n]);
  });

  it("is empty without transactions, and has no interval without a known block time", () => {
    expect(estimateGasPrices([], "7", 12)).toEqual([]);
    expect(estimateGasPrices([sample(8, 7)], "7", null).map(({ interval }) => interval)).toEqual([null, null, null]);
  });

  it("has the median L1 fee of the transactions that paid one", () => {
    const charged = [null, 30, 10, null, 20, 90].map((l1) => sample(8, 7, 21_000, l1));
    // At 50 percent, the nearest rank among 10, 20, 30 and 90 is the 2nd.
    expect(estimateGasPrices(charged, "7", null).map(({ l1Fee }) => l1Fee)).toEqual([20n, 20n, 20n]);
  });

  it("has durations in the largest unit with a value of at least 2", () => {
    expect([1, 2, 119, 120, 3599, 7200].map(renderDuration)).toEqual([
      "1 second",
      "2 seconds",
      "119 seconds",
      "2 minutes",
      "60 minutes",
      "2 hours",
    ]);
  });
});
