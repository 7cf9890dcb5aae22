import { describe, expect, it } from "vitest";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { contract, createObservedModel, end, other, perUnit, start, token, unit, usd } from "./observed-model.ts";

const stablecoins = [{ token: usd }];
const [pool, deep, second] = ["b2", "a1", "c3"].map(contract) as [Address, Address, Address];
const defaultReserves = [40_000n * unit, 10_000n * unit] as const;
const supply = 20_000n * unit;

/** Creates a pool with a token price of 4 dollars, as in a deeper pool; the LP token's price is 2 × sqrt(40,000 × 40,000) / 20,000 = 4 dollars. */
const balanced = (prices: Record<string, unknown> = {}) => {
  const observed = createObservedModel({ stablecoins, ...prices });
  observed.addPool(deep, [usd, token], [4_000_000n * unit, 1_000_000n * unit]);
  observed.addPool(pool, [usd, token], defaultReserves, start - 1_000, supply);
  return observed;
};

describe("an LP token", () => {
  it("is worth its share of both reserves", () => {
    const observed = balanced();
    observed.close();
    expect(observed.price(pool)).toBe(perUnit("4", 18));
  });

  it("has the same value after a swap that skews the pool, plus the fee", () => {
    const observed = balanced();
    // 100,000 dollars in at 0.3 percent: 10,000 × 99,700 / (40,000 + 99,700) tokens out.
    const reserves = [140_000n * unit, 10_000n * unit - (10_000n * unit * 99_700n) / 139_700n] as const;
    observed.updatePool(pool, start, reserves, supply);
    observed.close();
    // The reserves alone, 140,000 dollars and 2,863.2… tokens at 4 dollars, would give 151,452 dollars, or 7.57 per LP token.
    const price = Number(observed.price(pool)) * 1e18;
    // sqrt(140,000 × 4 × 2,863.278…) × 2 / 20,000: the product has grown by a 300-dollar fee.
    expect(price).toBeGreaterThan(4);
    expect(price).toBeCloseTo(Math.sqrt(140_000 * 4 * (10_000 - (10_000 * 99_700) / 139_700)) / 10_000, 9);
    expect(price).toBeLessThan(4.005);
  });

  it("has 40 exact digits: 2 × sqrt(2) / 1", () => {
    const observed = createObservedModel({ stablecoins: [{ token: usd }, { token }], liquidityFloor: 1 }, { [usd]: 0, [token]: 0 });
    observed.addPool(pool, [usd, token], [2n, 1n], start - 1_000, 1n);
    observed.close();
    // sqrt(2) = 1.414213562373095048801688724209698078569671875…; truncated to 40 digits, doubled, and truncated to 40 digits again.
    expect(observed.price(pool)).toBe("2.828427124746190097603377448419396157138");
  });

  it.each([
    ["its supply is 0", 0n, defaultReserves],
    ["its supply is unknown", null, defaultReserves],
    ["it is empty", supply, [0n, 0n]],
    ["one side is empty", supply, [0n, 10_000n * unit]],
  ] as const)("has no price if %s", (_, reportedSupply, reserves) => {
    const observed = balanced();
    observed.updatePool(pool, start, reserves, reportedSupply);
    observed.close();
    expect(observed.price(pool)).toBeNull();
  });

  it("has no price if one of its tokens has none", () => {
    const observed = balanced();
    observed.addPool(second, [token, other], [1n, 10n ** 30n], start - 1_000, supply);
    observed.close();
    expect([observed.price(other), observed.price(second)]).toEqual([null, null]);
  });

  it("has no price if its pool is below the liquidity floor", () => {
    const observed = balanced();
    observed.addPool(second, [usd, token], [9_999n * unit, 2_499n * unit], start - 1_000, supply);
    observed.close();
    expect(observed.price(second)).toBeNull();
  });

  it("has no price if its pool is deep for only one block", () => {
    const observed = balanced();
    observed.addPool(second, [usd, token], [400n * unit, 100n * unit], start - 1_000, 200n * unit);
    observed.updatePool(second, end - 12, [400_000n * unit, 100_000n * unit], 200_000n * unit);
    observed.close();
    expect(observed.price(second)).toBeNull();
  });

  it("does not rise when tokens are minted into its pool just before a bucket ends", () => {
    const observed = balanced();
    observed.updatePool(pool, end - 12, [40_000n * unit, 10_000_000_000n * unit], supply);
    observed.close();
    expect(observed.price(pool)).toBe(perUnit("4", 18));
  });

  it("has its redemption value as its price, not its market price", () => {
    const observed = balanced();
    // The market price is half a dollar.
    observed.addPool(second, [usd, pool], [500_000n * unit, 1_000_000n * unit]);
    observed.close();
    expect(observed.price(pool)).toBe(perUnit("4", 18));
  });

  it("has no price if its pool is below the liquidity floor, even if it trades in a deep one", () => {
    const observed = createObservedModel({ stablecoins });
    observed.addPool(pool, [usd, token], [400n * unit, 100n * unit], start - 1_000, supply);
    observed.addPool(second, [usd, pool], [500_000n * unit, 1_000_000n * unit]);
    observed.close();
    expect(observed.price(pool)).toBeNull();
  });

  it("has the same price whatever the creation order of nested pools", () => {
    const outer = contract("d4");
    const prices = [
      [pool, outer],
      [outer, pool],
    ].map((order) => {
      const observed = createObservedModel({ stablecoins });
      observed.addPool(deep, [usd, token], [4_000_000n * unit, 1_000_000n * unit]);
      for (const address of order as Address[]) {
        if (address === pool) observed.addPool(pool, [usd, token], defaultReserves, start - 1_000, supply);
        else observed.addPool(outer, [usd, pool], [500_000n * unit, 1_000_000n * unit], start - 1_000, supply);
      }
      observed.close();
      return observed.price(outer);
    });
    expect(prices[0]).not.toBeNull();
    expect(prices[0]).toBe(prices[1]);
  });

  it("is priced by the operator's file if the file precedes pools", () => {
    for (const [sources, price] of [
      [["file", "stablecoins", "pools"], "9"],
      [["stablecoins", "pools", "file"], "4"],
    ] as const) {
      const observed = balanced({ sources });
      observed.setFilePrice(start, pool, "9");
      observed.close();
      expect(observed.price(pool)).toBe(perUnit(price, 18));
    }
  });

  it("is priced by the operator's file if pools precede the file but have no price", () => {
    const observed = createObservedModel({ stablecoins, sources: ["stablecoins", "pools", "file"] });
    observed.addPool(pool, [usd, token], [400n * unit, 100n * unit], start - 1_000, supply);
    observed.setFilePrice(start, pool, "9");
    observed.close();
    expect(observed.price(pool)).toBe(perUnit("9", 18));
  });

  it("has no price if its pool is concentrated", () => {
    const observed = createObservedModel({ stablecoins });
    const state = { sqrtPriceX96: 2n ** 96n, liquidity: 10n ** 24n, reserve0: 10n ** 24n, reserve1: 10n ** 24n, supply };
    observed.addConcentratedPool(pool, [usd, token], state);
    observed.close();
    expect([observed.price(token), observed.price(pool)]).toEqual([perUnit("1", 18), null]);
  });
});
