import { describe, expect, it } from "vitest";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { contract, createTelling, end, other, smallest, start, token, unit, usd } from "./observing.ts";

const stablecoins = [{ token: usd }];
const [pool, deep, second] = ["b2", "a1", "c3"].map(contract) as [Address, Address, Address];
const defaultValue = [40_000n * unit, 10_000n * unit] as const;
const supply = 20_000n * unit;

/** A pool of a token that is worth 4 dollars, here and in a deeper pool; its own token is worth 2 × sqrt(40,000 × 40,000) / 20,000 = 4 dollars. */
const balanced = (prices: Record<string, unknown> = {}) => {
  const telling = createTelling({ stablecoins, ...prices });
  telling.pool(deep, [usd, token], [4_000_000n * unit, 1_000_000n * unit]);
  telling.pool(pool, [usd, token], defaultValue, start - 1_000, supply);
  return telling;
};

describe("a pool's own token", () => {
  it("is worth its share of both sides", () => {
    const telling = balanced();
    telling.close();
    expect(telling.price(pool)).toBe(smallest("4", 18));
  });

  it("is worth the same after a swap that skewed the pool, but for the fee that the pool keeps", () => {
    const telling = balanced();
    // 100,000 dollars in at 0.3 percent: 10,000 × 99,700 / (40,000 + 99,700) tokens out.
    const reserves = [140_000n * unit, 10_000n * unit - (10_000n * unit * 99_700n) / 139_700n] as const;
    telling.now(pool, start, reserves, supply);
    telling.close();
    // What the reserves alone would say: 140,000 dollars and 2,863.2… tokens of 4 dollars, 151,452 dollars, 7.57 for each.
    const worth = Number(telling.price(pool)) * 1e18;
    // sqrt(140,000 × 4 × 2,863.278…) × 2 / 20,000: the product has grown by 300 dollars' worth of fee.
    expect(worth).toBeGreaterThan(4);
    expect(worth).toBeCloseTo(Math.sqrt(140_000 * 4 * (10_000 - (10_000 * 99_700) / 139_700)) / 10_000, 9);
    expect(worth).toBeLessThan(4.005);
  });

  it("has all digits: 2 × sqrt(2) / 1", () => {
    const telling = createTelling({ stablecoins: [{ token: usd }, { token }], liquidityFloor: 1 }, { [usd]: 0, [token]: 0 });
    telling.pool(pool, [usd, token], [2n, 1n], start - 1_000, 1n);
    telling.close();
    // sqrt(2) = 1.414213562373095048801688724209698078569671875…; 40 digits of it, twice, and 40 digits of that.
    expect(telling.price(pool)).toBe("2.828427124746190097603377448419396157138");
  });

  it.each([
    ["its supply is 0", 0n, defaultValue],
    ["its supply is not known", null, defaultValue],
    ["nothing is in it", supply, [0n, 0n]],
    ["one side is empty", supply, [0n, 10_000n * unit]],
  ] as const)("is worth nothing that is known where %s", (_, said, reserves) => {
    const telling = balanced();
    telling.now(pool, start, reserves, said);
    telling.close();
    expect(telling.price(pool)).toBeNull();
  });

  it("is not known where one of its tokens is not", () => {
    const telling = balanced();
    telling.pool(second, [token, other], [1n, 10n ** 30n], start - 1_000, supply);
    telling.close();
    expect([telling.price(other), telling.price(second)]).toEqual([null, null]);
  });

  it("is not known of a pool below the floor", () => {
    const telling = balanced();
    telling.pool(second, [usd, token], [9_999n * unit, 2_499n * unit], start - 1_000, supply);
    telling.close();
    expect(telling.price(second)).toBeNull();
  });

  it("is not known of a pool that is deep for one block", () => {
    const telling = balanced();
    telling.pool(second, [usd, token], [400n * unit, 100n * unit], start - 1_000, 200n * unit);
    telling.now(second, end - 12, [400_000n * unit, 100_000n * unit], 200_000n * unit);
    telling.close();
    expect(telling.price(second)).toBeNull();
  });

  it("is not worth more for tokens that somebody mints into its pool at the end of the quarter", () => {
    const telling = balanced();
    telling.now(pool, end - 12, [40_000n * unit, 10_000_000_000n * unit], supply);
    telling.close();
    expect(telling.price(pool)).toBe(smallest("4", 18));
  });

  it("is worth what it can be handed in for, whatever others trade it for", () => {
    const telling = balanced();
    // Half a dollar each.
    telling.pool(second, [usd, pool], [500_000n * unit, 1_000_000n * unit]);
    telling.close();
    expect(telling.price(pool)).toBe(smallest("4", 18));
  });

  it("is not known of a pool below the floor, though others trade it in a deep one", () => {
    const telling = createTelling({ stablecoins });
    telling.pool(pool, [usd, token], [400n * unit, 100n * unit], start - 1_000, supply);
    telling.pool(second, [usd, pool], [500_000n * unit, 1_000_000n * unit]);
    telling.close();
    expect(telling.price(pool)).toBeNull();
  });

  it("in a pool itself is worth the same in whatever order the pools became known", () => {
    const outer = contract("d4");
    const prices = [
      [pool, outer],
      [outer, pool],
    ].map((order) => {
      const telling = createTelling({ stablecoins });
      telling.pool(deep, [usd, token], [4_000_000n * unit, 1_000_000n * unit]);
      for (const address of order as Address[]) {
        if (address === pool) telling.pool(pool, [usd, token], defaultValue, start - 1_000, supply);
        else telling.pool(outer, [usd, pool], [500_000n * unit, 1_000_000n * unit], start - 1_000, supply);
      }
      telling.close();
      return telling.price(outer);
    });
    expect(prices[0]).not.toBeNull();
    expect(prices[0]).toBe(prices[1]);
  });

  it("is worth what the operator's file says, where that comes before pools", () => {
    for (const [sources, price] of [
      [["file", "stablecoins", "pools"], "9"],
      [["stablecoins", "pools", "file"], "4"],
    ] as const) {
      const telling = balanced({ sources });
      telling.write(start, pool, "9");
      telling.close();
      expect(telling.price(pool)).toBe(smallest(price, 18));
    }
  });

  it("is worth what the file says, where it comes after pools that do not know", () => {
    const telling = createTelling({ stablecoins, sources: ["stablecoins", "pools", "file"] });
    telling.pool(pool, [usd, token], [400n * unit, 100n * unit], start - 1_000, supply);
    telling.write(start, pool, "9");
    telling.close();
    expect(telling.price(pool)).toBe(smallest("9", 18));
  });

  it("has no price in a pool of concentrated liquidity", () => {
    const telling = createTelling({ stablecoins });
    const word = { sqrtPriceX96: 2n ** 96n, liquidity: 10n ** 24n, reserve0: 10n ** 24n, reserve1: 10n ** 24n, supply };
    telling.ranges(pool, [usd, token], word);
    telling.close();
    expect([telling.price(token), telling.price(pool)]).toEqual([smallest("1", 18), null]);
  });
});
