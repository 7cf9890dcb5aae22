import { describe, expect, it } from "vitest";
import { currencyAsset } from "../../../../runtime/domains/prices/engine/assets.ts";
import { type Address, nativeTokenAddress } from "../../../../runtime/lib/hex.ts";
import { contract, createObservedModel, end, feed, other, perUnit, start, token, unit, usd, weth } from "./observed-model.ts";

const [pool, newer, euroFeed] = ["a1", "fd", "ef"].map(contract) as [Address, Address, Address];
const euro = currencyAsset("EUR");
const minInt256 = -(2n ** 255n);

describe("a feed", () => {
  it("scales answers by its configured decimals", () => {
    const observed = createObservedModel({ feeds: [{ of: token, aggregators: [feed], decimals: 18 }] }, { [token]: 6 });
    observed.reportFeed(start, 1_500000000000000000n);
    observed.close();
    expect(observed.price(token)).toBe(perUnit("1.5", 6));
  });

  it.each([0n, -1n, minInt256])("has no price after the answer %s, regardless of the previous answer", (answer) => {
    const observed = createObservedModel({ feeds: [{ of: "native", aggregators: [feed] }] });
    observed.reportFeed(start, 2_000_00000000n);
    observed.reportFeed(start + 60, answer);
    observed.close();
    expect(observed.price(nativeTokenAddress)).toBeNull();
  });

  it("accepts the largest answer", () => {
    const observed = createObservedModel({ feeds: [{ of: "native", aggregators: [feed], decimals: 0 }] });
    observed.reportFeed(start, 2n ** 255n - 1n);
    observed.close();
    // 2^255 - 1 = 57896044618658097711785492504343953926634992332820282019728792003956564819967, truncated to 40 digits.
    expect(observed.price(nativeTokenAddress)).toBe("57896044618658097711785492504343953926630000000000000000000");
  });

  it("has no price once its last answer is too old", () => {
    const observed = createObservedModel({ feeds: [{ of: "native", aggregators: [feed], maxAgeSeconds: 1_800 }] });
    observed.reportFeed(start, 2_000_00000000n);
    for (const [time, price] of [
      [start + 900, "2000"],
      [start + 1_800, "2000"],
      [start + 2_700, null],
    ] as const) {
      observed.close(time);
      expect(observed.price(nativeTokenAddress), String(time)).toBe(price === null ? null : perUnit(price, 18));
    }
    observed.reportFeed(start + 2_700, 2_100_00000000n);
    observed.close(start + 3_600);
    expect(observed.price(nativeTokenAddress)).toBe(perUnit("2100", 18));
  });

  it("uses its aggregators' newest answer, regardless of their configured order", () => {
    for (const aggregators of [
      [feed, newer],
      [newer, feed],
    ]) {
      const observed = createObservedModel({ feeds: [{ of: "native", aggregators }] });
      observed.reportFeed(start, 2_000_00000000n, feed);
      observed.reportFeed(start + 1, 2_100_00000000n, newer);
      observed.close();
      expect(observed.price(nativeTokenAddress)).toBe(perUnit("2100", 18));
      observed.reportFeed(end, 2_200_00000000n, feed);
      observed.close(end + 900);
      expect(observed.price(nativeTokenAddress)).toBe(perUnit("2200", 18));
    }
  });

  it("sets prices from the bucket of its first answer", () => {
    const observed = createObservedModel({ feeds: [{ of: "native", aggregators: [feed] }] });
    observed.close();
    expect(observed.price(nativeTokenAddress)).toBeNull();
    observed.reportFeed(end + 899, 2_000_00000000n);
    observed.close(end + 900);
    expect(observed.price(nativeTokenAddress)).toBe(perUnit("2000", 18));
  });

  it("sets no price if its contract is not configured", () => {
    const observed = createObservedModel({ feeds: [{ of: "native", aggregators: [feed] }] });
    observed.reportFeed(start, 2_000_00000000n, newer);
    observed.close();
    expect(observed.price(nativeTokenAddress)).toBeNull();
  });

  it("falls back to an asset's second feed when the first is stale", () => {
    const observed = createObservedModel({
      feeds: [
        { of: "native", aggregators: [feed], maxAgeSeconds: 600 },
        { of: weth, aggregators: [newer] },
      ],
    });
    observed.reportFeed(start + 800, 2_000_00000000n, feed);
    observed.reportFeed(start + 800, 1_900_00000000n, newer);
    observed.close();
    expect(observed.price(weth)).toBe(perUnit("2000", 18));
    observed.close(end + 900);
    expect(observed.price(nativeTokenAddress)).toBe(perUnit("1900", 18));
  });
});

describe("currencies", () => {
  const inEuros = { of: token, in: "EUR", aggregators: [feed] };
  const euroRate = { of: "EUR", aggregators: [euroFeed] };

  it("have their feed's price, per whole unit", () => {
    const observed = createObservedModel({ feeds: [euroRate] });
    observed.reportFeed(start, 1_25000000n, euroFeed);
    observed.close();
    expect(observed.price(euro)).toBe("1.25");
    expect(observed.price(currencyAsset("GBP"))).toBeNull();
  });

  it("convert the answers of a feed that is quoted in a currency; without its rate, the price is unknown", () => {
    const observed = createObservedModel({ feeds: [inEuros, euroRate] });
    observed.reportFeed(start, 8_00000000n);
    observed.close();
    expect(observed.price(token)).toBeNull();
    observed.reportFeed(end, 1_25000000n, euroFeed);
    observed.close(end + 900);
    // 8 euros at 1.25 dollars.
    expect(observed.price(token)).toBe(perUnit("10", 18));
  });

  it("determine the price of a stablecoin pegged to a currency, and of paths that end at it", () => {
    const observed = createObservedModel({ feeds: [euroRate], stablecoins: [{ token: usd, currency: "EUR" }] }, { [usd]: 6 });
    observed.addPool(pool, [usd, token], [40_000n * 10n ** 6n, 10_000n * unit]);
    observed.close();
    expect([observed.price(usd), observed.price(token)]).toEqual([null, null]);
    observed.reportFeed(end, 1_25000000n, euroFeed);
    observed.close(end + 900);
    expect([observed.price(usd), observed.price(token)]).toEqual([perUnit("1.25", 6), perUnit("5", 18)]);
  });

  it("are also read from the operator's file, before feeds if it comes first", () => {
    const observed = createObservedModel({ sources: ["file", "feeds"], feeds: [euroRate] });
    observed.reportFeed(start, 1_25000000n, euroFeed);
    observed.setFilePrice(start, euro, "1.3");
    observed.setFilePrice(start, currencyAsset("CHF"), "1.1");
    observed.close();
    expect([observed.price(euro), observed.price(currencyAsset("CHF"))]).toEqual(["1.3", "1.1"]);
  });
});

describe("the operator's file", () => {
  it("sets whole-unit prices until its next entry, which may be empty", () => {
    const observed = createObservedModel({}, { [token]: 6 });
    observed.setFilePrice(start + 10, token, "0.0625");
    observed.close();
    expect(observed.price(token)).toBe(perUnit("0.0625", 6));
    observed.close(end + 900);
    expect(observed.price(token)).toBe(perUnit("0.0625", 6));
    observed.setFilePrice(end + 900, token, null);
    observed.close(end + 1_800);
    expect(observed.price(token)).toBeNull();
  });

  it("defers to other sources after an empty entry", () => {
    const observed = createObservedModel({ sources: ["file", "stablecoins", "pools"], stablecoins: [{ token: usd }] });
    observed.addPool(pool, [usd, token], [40_000n * unit, 10_000n * unit]);
    observed.setFilePrice(start, token, "7");
    observed.close();
    expect(observed.price(token)).toBe(perUnit("7", 18));
    observed.setFilePrice(end, token, null);
    observed.close(end + 900);
    expect(observed.price(token)).toBe(perUnit("4", 18));
  });

  it("prices the native token by its wrapped token", () => {
    const observed = createObservedModel({});
    observed.setFilePrice(start, weth, "3000");
    observed.close();
    expect([observed.price(weth), observed.price(nativeTokenAddress)]).toEqual([perUnit("3000", 18), perUnit("3000", 18)]);
  });

  it("sets no price for a token with unknown decimals", () => {
    const observed = createObservedModel({}, { [token]: null });
    observed.setFilePrice(start, token, "3000");
    observed.close();
    expect(observed.price(token)).toBeNull();
  });
});

describe("the order of sources", () => {
  const prices = { file: "9", feeds: "8", stablecoins: "1", pools: "4" };
  /** The price of a token that each source prices differently; pools price it against a second stablecoin. */
  const priceBy = (sources: readonly string[]): string | null => {
    const observed = createObservedModel({
      sources,
      feeds: [{ of: token, aggregators: [feed] }],
      stablecoins: [{ token: usd }, ...(sources.includes("stablecoins") && sources[0] !== "pools" ? [{ token }] : [])],
    });
    observed.addPool(pool, [usd, token], [40_000n * unit, 10_000n * unit]);
    observed.reportFeed(start, 8_00000000n);
    observed.setFilePrice(start, token, "9");
    observed.close();
    return observed.price(token);
  };

  it.each([
    ["file", "feeds", "stablecoins", "pools"],
    ["feeds", "file", "stablecoins", "pools"],
    ["stablecoins", "file", "feeds", "pools"],
    ["stablecoins"],
    ["feeds"],
    ["file"],
    ["pools", "feeds", "file", "stablecoins"],
  ] as const)("follows the configuration: %s first", (...sources) => {
    expect(priceBy(sources)).toBe(perUnit(prices[sources[0]], 18));
  });

  it("excludes a source that is not configured", () => {
    const observed = createObservedModel({
      sources: ["feeds"],
      feeds: [{ of: other, aggregators: [feed] }],
      stablecoins: [{ token: usd }],
    });
    observed.reportFeed(start, 1_00000000n);
    observed.addPool(pool, [other, token], [40_000n * unit, 10_000n * unit], start - 1_000, 20_000n * unit);
    observed.setFilePrice(start, token, "9");
    observed.close();
    expect([other, token, usd, pool].map(observed.price)).toEqual([perUnit("1", 18), null, null, null]);
  });

  it("sets no LP token prices if pools are excluded", () => {
    const observed = createObservedModel({
      sources: ["feeds", "stablecoins"],
      feeds: [{ of: other, aggregators: [feed] }],
      stablecoins: [{ token: usd }],
    });
    observed.reportFeed(start, 1_00000000n);
    observed.addPool(pool, [usd, other], [40_000n * unit, 40_000n * unit], start - 1_000, 40_000n * unit);
    observed.close();
    expect([usd, other, pool].map(observed.price)).toEqual([perUnit("1", 18), perUnit("1", 18), null]);
  });

  it("ends paths at feeds if pools come first and have no price", () => {
    const observed = createObservedModel({ sources: ["pools", "feeds"], feeds: [{ of: "native", aggregators: [feed] }] });
    observed.reportFeed(start, 2_000_00000000n);
    observed.addPool(pool, [weth, token], [10n * unit, 5_000n * unit]);
    observed.close();
    expect([observed.price(weth), observed.price(token)]).toEqual([perUnit("2000", 18), perUnit("4", 18)]);
  });
});
