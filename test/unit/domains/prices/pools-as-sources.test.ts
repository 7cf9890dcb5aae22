import { describe, expect, it } from "vitest";
import { type Address, nativeTokenAddress } from "../../../../runtime/lib/hex.ts";
import { contract, createObservedModel, end, feed, other, perUnit, start, third, token, unit, usd, weth } from "./observed-model.ts";

const stablecoins = [{ token: usd }];
const [first, second, last] = ["a1", "b2", "c3"].map(contract) as [Address, Address, Address];

describe("a price from a constant-product pool", () => {
  it("is the ratio of the reserves", () => {
    const observed = createObservedModel({ stablecoins });
    // 40,000 dollars for 10,000 tokens: 4 dollars each.
    observed.addPool(first, [usd, token], [40_000n * unit, 10_000n * unit]);
    observed.close();
    expect(observed.price(token)).toBe(perUnit("4", 18));
    expect(observed.price(usd)).toBe(perUnit("1", 18));
  });

  it("does not depend on the order of the tokens", () => {
    const observed = createObservedModel({ stablecoins: [{ token: third }] });
    observed.addPool(first, [token, third], [10_000n * unit, 40_000n * unit]);
    observed.close();
    expect(observed.price(token)).toBe(perUnit("4", 18));
  });

  it("is truncated to 40 digits", () => {
    const observed = createObservedModel({ stablecoins });
    // 20,000 / 30,000 dollars: 0.666…, never rounded up.
    observed.addPool(first, [usd, token], [20_000n * unit, 30_000n * unit]);
    observed.close();
    expect(observed.price(token)).toBe(`0.${"0".repeat(18)}${"6".repeat(40)}`);
  });

  it.each([
    [0, 6],
    [6, 18],
    [18, 6],
    [36, 18],
    [36, 0],
    [0, 36],
  ])("is per smallest unit, for a token with %i decimals against a stablecoin with %i", (tokenDecimals, usdDecimals) => {
    const observed = createObservedModel({ stablecoins }, { [usd]: usdDecimals, [token]: tokenDecimals });
    // 50,000 whole dollars for 20,000 whole tokens: 2.5 dollars per whole token.
    observed.addPool(first, [usd, token], [50_000n * 10n ** BigInt(usdDecimals), 20_000n * 10n ** BigInt(tokenDecimals)]);
    observed.close();
    expect(observed.price(token)).toBe(perUnit("2.5", tokenDecimals));
  });

  it("is unknown for a stablecoin with unknown decimals and for tokens traded against it", () => {
    const observed = createObservedModel({ stablecoins }, { [usd]: null });
    observed.addPool(first, [usd, token], [50_000n * unit, 20_000n * unit]);
    observed.close();
    expect([observed.price(usd), observed.price(token)]).toEqual([null, null]);
  });

  it("supports a stablecoin with 255 decimals and the maximum reserves", () => {
    const observed = createObservedModel({ stablecoins: [...stablecoins, { token: other }] }, { [usd]: 255 });
    const maxReserve = 2n ** 112n - 1n;
    observed.addPool(first, [usd, token], [maxReserve, 1n]);
    observed.addPool(second, [token, other], [1n, maxReserve]);
    observed.close();
    expect(observed.price(usd)).toBe(perUnit("1", 255));
    // 2^112 - 1 units are almost 0 dollars in the first stablecoin and 5,192,296,858,534,827.628530496329220095 dollars in the second.
    expect(observed.price(token)).toBe("5192296858534827.628530496329220095");
  });
});

describe("a price from a concentrated pool", () => {
  const q96 = 2n ** 96n;
  it("is the square of sqrtPrice, weighted by its liquidity's virtual reserves", () => {
    const observed = createObservedModel({ stablecoins }, { [usd]: 6 });
    // One smallest unit of the dollar (10^-6) equals sqrt² = 10^10 of the token's (10^-18): a dollar equals 0.01 tokens, a token 100 dollars.
    // The virtual reserve of L = 2 × 10^15 is L / sqrt = 2 × 10^10 units of the dollar: 20,000 dollars.
    const state = { sqrtPriceX96: 10n ** 5n * q96, liquidity: 2n * 10n ** 15n, reserve0: 10n ** 12n, reserve1: 10n ** 24n };
    observed.addConcentratedPool(first, [usd, token], state);
    observed.close();
    expect(observed.price(token)).toBe(perUnit("100", 18));
  });

  it("has a depth of at most the pool's reserves, even if a narrow range has larger virtual reserves", () => {
    const observed = createObservedModel({ stablecoins }, { [usd]: 6 });
    // Virtual reserve: 20,000 dollars. Actual reserve: 9,999.
    const state = { sqrtPriceX96: 10n ** 5n * q96, liquidity: 2n * 10n ** 15n, reserve0: 9_999n * 10n ** 6n, reserve1: 10n ** 24n };
    observed.addConcentratedPool(first, [usd, token], state);
    observed.close();
    expect(observed.price(token)).toBeNull();
  });

  it("has a depth of at most the virtual reserves, even if the pool holds more outside the range", () => {
    const observed = createObservedModel({ stablecoins }, { [usd]: 6 });
    const state = { sqrtPriceX96: 10n ** 5n * q96, liquidity: 10n ** 14n, reserve0: 10n ** 12n, reserve1: 10n ** 24n };
    observed.addConcentratedPool(first, [usd, token], state);
    observed.close();
    // 10^14 / 10^5 = 10^9 units: 1,000 dollars.
    expect(observed.price(token)).toBeNull();
  });

  it("has a depth of at most the other reserve's value, so a one-sided offer sets no price", () => {
    const observed = createObservedModel({ stablecoins }, { [usd]: 6 });
    // 40,000 dollars for 10,000 tokens: 4 dollars each.
    observed.addPool(first, [usd, token], [40_000n * 10n ** 6n, 10_000n * unit]);
    // A pool with larger virtual reserves offers a million dollars at a dollar per 100 tokens, and holds one token, worth 0.01 dollars at this price.
    const state = { sqrtPriceX96: 10n ** 7n * q96, liquidity: 10n ** 20n, reserve0: 10n ** 12n, reserve1: unit };
    observed.addConcentratedPool(second, [usd, token], state);
    observed.close();
    expect(observed.price(token)).toBe(perUnit("4", 18));
  });

  it.each([{ sqrtPriceX96: 0n }, { sqrtPriceX96: null }, { liquidity: null }, { liquidity: 0n }, { reserve0: null }, { reserve1: null }])(
    "is unknown if part of the state is missing: %o",
    (missing) => {
      const observed = createObservedModel({ stablecoins }, { [usd]: 6 });
      const state = { sqrtPriceX96: 10n ** 5n * q96, liquidity: 2n * 10n ** 15n, reserve0: 10n ** 12n, reserve1: 10n ** 24n, ...missing };
      observed.addConcentratedPool(first, [usd, token], state);
      observed.close();
      expect(observed.price(token)).toBeNull();
    },
  );
});

describe("a path through pools", () => {
  it("reaches a stablecoin in two or three hops", () => {
    const observed = createObservedModel({ stablecoins });
    // 4 dollars; 4 × 30,000 / 60,000 = 2; 2 × 70,000 / 10,000 = 14 dollars.
    observed.addPool(first, [usd, token], [40_000n * unit, 10_000n * unit]);
    observed.addPool(second, [token, other], [30_000n * unit, 60_000n * unit]);
    observed.addPool(last, [other, third], [70_000n * unit, 10_000n * unit]);
    observed.close();
    expect([token, other, third].map(observed.price)).toEqual(["4", "2", "14"].map((price) => perUnit(price, 18)));
  });

  it("has at most four hops", () => {
    const observed = createObservedModel({ stablecoins });
    const chain = [usd, token, other, third, contract("66"), contract("77")] as const;
    for (let hop = 0; hop < 5; hop += 1) {
      observed.addPool(contract(`a${hop}`), [chain[hop], chain[hop + 1]] as [Address, Address], [20_000n * unit, 10_000n * unit]);
    }
    observed.close();
    // The price doubles with each hop.
    expect(chain.map((address) => observed.price(address))).toEqual(
      ["1", "2", "4", "8", "16"].map((price) => perUnit(price, 18)).concat([null as never]),
    );
  });

  it("is the anchored path with the deepest bottleneck pool", () => {
    const euros = contract("e0");
    const observed = createObservedModel({ stablecoins: [...stablecoins, { token: euros }] });
    // Direct: 20,000 dollars deep, 5 dollars. Through another stablecoin and the native token: 90,000 and 60,000 dollars deep, 3 dollars.
    observed.addPool(first, [usd, third], [20_000n * unit, 4_000n * unit]);
    observed.addPool(second, [euros, weth], [90_000n * unit, 90_000n * unit]);
    observed.addPool(last, [weth, third], [60_000n * unit, 20_000n * unit]);
    observed.close();
    expect(observed.price(third)).toBe(perUnit("3", 18));
    // A path is as deep as its shallowest pool.
    observed.updatePool(second, end, [15_000n * unit, 15_000n * unit]);
    observed.close(end + 900);
    expect(observed.price(third)).toBe(perUnit("5", 18));
  });

  it("passes through a token that is not an anchor only if there is no other path, regardless of depth", () => {
    const observed = createObservedModel({ stablecoins });
    // Direct: 4 dollars. Through a token with a single holder: 41,000 dollars deep, 1,000 dollars.
    observed.addPool(first, [usd, third], [40_000n * unit, 10_000n * unit]);
    observed.addPool(second, [usd, token], [41_000n * unit, 41_000n * unit]);
    observed.addPool(last, [token, third], [41_000n * unit, 41n * unit]);
    observed.close();
    expect(observed.price(third)).toBe(perUnit("4", 18));
  });

  it("uses the pool with the lower address if two are equally deep", () => {
    for (const order of [
      [first, second],
      [second, first],
    ]) {
      const observed = createObservedModel({ stablecoins });
      const tokens = { [first]: 10_000n * unit, [second]: 5_000n * unit };
      for (const pool of order) observed.addPool(pool as Address, [usd, token], [20_000n * unit, tokens[pool as Address] as bigint]);
      observed.close();
      // 20,000 dollars for 10,000 tokens in the pool with the lower address.
      expect(observed.price(token)).toBe(perUnit("2", 18));
    }
  });

  it("excludes pools below the liquidity floor, regardless of how often they trade", () => {
    const observed = createObservedModel({ stablecoins });
    observed.addPool(first, [usd, token], [9_999n * unit, 1n]);
    observed.addPool(second, [usd, other], [10_000n * unit, 10_000n * unit]);
    for (let time = start; time < end; time += 12) observed.updatePool(first, time, [9_999n * unit, BigInt(time)]);
    observed.close();
    expect([observed.price(token), observed.price(other)]).toEqual([null, perUnit("1", 18)]);
  });

  it("prefers a deep pool's price to a tiny one's", () => {
    const observed = createObservedModel({ stablecoins, liquidityFloor: 100 });
    observed.addPool(first, [usd, token], [200n * unit, 1n * unit]);
    observed.addPool(second, [usd, token], [50_000n * unit, 50_000n * unit]);
    observed.close();
    expect(observed.price(token)).toBe(perUnit("1", 18));
  });
});

describe("the native token", () => {
  it("has its feed's price, including where a path passes through its wrapped token", () => {
    const observed = createObservedModel({ feeds: [{ of: "native", aggregators: [feed] }] });
    observed.reportFeed(start, 2_000_00000000n);
    // 10 native for 5,000 tokens: 2,000 × 10 / 5,000 = 4 dollars; 20,000 dollars deep.
    observed.addPool(first, [weth, token], [10n * unit, 5_000n * unit]);
    observed.close();
    expect([nativeTokenAddress, weth, token].map(observed.price)).toEqual(["2000", "2000", "4"].map((price) => perUnit(price, 18)));
  });

  it("is priced by its deepest stablecoin pool without a feed", () => {
    const observed = createObservedModel({ stablecoins: [...stablecoins, { token: other }] });
    observed.addPool(first, [usd, weth], [30_000n * unit, 10n * unit]);
    observed.addPool(second, [weth, other], [20n * unit, 50_000n * unit]);
    observed.addPool(last, [weth, token], [10n * unit, 5_000n * unit]);
    observed.close();
    // 50,000 / 20 = 2,500 dollars in the deeper pool; 2,500 × 10 / 5,000 = 5.
    expect([nativeTokenAddress, weth, token].map(observed.price)).toEqual(["2500", "2500", "5"].map((price) => perUnit(price, 18)));
  });

  it("has no price without a feed or stablecoin, nor do tokens traded against it", () => {
    const observed = createObservedModel({});
    observed.addPool(first, [weth, token], [10n * unit, 5_000n * unit]);
    observed.close();
    expect([nativeTokenAddress, weth, token].map(observed.price)).toEqual([null, null, null]);
  });
});
