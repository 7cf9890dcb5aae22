import { describe, expect, it } from "vitest";
import { currencyAsset } from "../../../../runtime/domains/prices/engine/assets.ts";
import { type Address, nativeTokenAddress } from "../../../../runtime/lib/hex.ts";
import { contract, createTelling, end, feed, other, smallest, start, token, unit, usd, weth } from "./observing.ts";

const [pool, newer, euroFeed] = ["a1", "fd", "ef"].map(contract) as [Address, Address, Address];
const euro = currencyAsset("EUR");
const smallestAnswer = -(2n ** 255n);

describe("a feed", () => {
  it("has answers of as many decimals as are configured", () => {
    const telling = createTelling({ feeds: [{ of: token, aggregators: [feed], decimals: 18 }] }, { [token]: 6 });
    telling.say(start, 1_500000000000000000n);
    telling.close();
    expect(telling.price(token)).toBe(smallest("1.5", 6));
  });

  it.each([0n, -1n, smallestAnswer])("knows no price when it answers %s, whatever it answered before", (answer) => {
    const telling = createTelling({ feeds: [{ of: "native", aggregators: [feed] }] });
    telling.say(start, 2_000_00000000n);
    telling.say(start + 60, answer);
    telling.close();
    expect(telling.price(nativeTokenAddress)).toBeNull();
  });

  it("bears the largest answer", () => {
    const telling = createTelling({ feeds: [{ of: "native", aggregators: [feed], decimals: 0 }] });
    telling.say(start, 2n ** 255n - 1n);
    telling.close();
    // 2^255 - 1 = 57896044618658097711785492504343953926634992332820282019728792003956564819967, of which 40 digits are kept.
    expect(telling.price(nativeTokenAddress)).toBe("57896044618658097711785492504343953926630000000000000000000");
  });

  it("knows no price once its last answer is too old", () => {
    const telling = createTelling({ feeds: [{ of: "native", aggregators: [feed], maxAgeSeconds: 1_800 }] });
    telling.say(start, 2_000_00000000n);
    for (const [time, price] of [
      [start + 900, "2000"],
      [start + 1_800, "2000"],
      [start + 2_700, null],
    ] as const) {
      telling.close(time);
      expect(telling.price(nativeTokenAddress), String(time)).toBe(price === null ? null : smallest(price, 18));
    }
    telling.say(start + 2_700, 2_100_00000000n);
    telling.close(start + 3_600);
    expect(telling.price(nativeTokenAddress)).toBe(smallest("2100", 18));
  });

  it("is what the newest answer of its aggregators says, in whatever order they are configured", () => {
    for (const aggregators of [
      [feed, newer],
      [newer, feed],
    ]) {
      const telling = createTelling({ feeds: [{ of: "native", aggregators }] });
      telling.say(start, 2_000_00000000n, feed);
      telling.say(start + 1, 2_100_00000000n, newer);
      telling.close();
      expect(telling.price(nativeTokenAddress)).toBe(smallest("2100", 18));
      telling.say(end, 2_200_00000000n, feed);
      telling.close(end + 900);
      expect(telling.price(nativeTokenAddress)).toBe(smallest("2200", 18));
    }
  });

  it("counts from the quarter on in which it answered", () => {
    const telling = createTelling({ feeds: [{ of: "native", aggregators: [feed] }] });
    telling.close();
    expect(telling.price(nativeTokenAddress)).toBeNull();
    telling.say(end + 899, 2_000_00000000n);
    telling.close(end + 900);
    expect(telling.price(nativeTokenAddress)).toBe(smallest("2000", 18));
  });

  it("of a contract that is not configured sets no price", () => {
    const telling = createTelling({ feeds: [{ of: "native", aggregators: [feed] }] });
    telling.say(start, 2_000_00000000n, newer);
    telling.close();
    expect(telling.price(nativeTokenAddress)).toBeNull();
  });

  it("of a second feed counts where the first one is silent", () => {
    const telling = createTelling({
      feeds: [
        { of: "native", aggregators: [feed], maxAgeSeconds: 600 },
        { of: weth, aggregators: [newer] },
      ],
    });
    telling.say(start + 800, 2_000_00000000n, feed);
    telling.say(start + 800, 1_900_00000000n, newer);
    telling.close();
    expect(telling.price(weth)).toBe(smallest("2000", 18));
    telling.close(end + 900);
    expect(telling.price(nativeTokenAddress)).toBe(smallest("1900", 18));
  });
});

describe("currencies", () => {
  const inEuros = { of: token, in: "EUR", aggregators: [feed] };
  const ofEuro = { of: "EUR", aggregators: [euroFeed] };

  it("are worth what their feed says, for a whole unit", () => {
    const telling = createTelling({ feeds: [ofEuro] });
    telling.say(start, 1_25000000n, euroFeed);
    telling.close();
    expect(telling.price(euro)).toBe("1.25");
    expect(telling.price(currencyAsset("GBP"))).toBeNull();
  });

  it("carry a token whose feed answers in one of them, and leave it unknown without a rate", () => {
    const telling = createTelling({ feeds: [inEuros, ofEuro] });
    telling.say(start, 8_00000000n);
    telling.close();
    expect(telling.price(token)).toBeNull();
    telling.say(end, 1_25000000n, euroFeed);
    telling.close(end + 900);
    // 8 euros at 1.25 dollars.
    expect(telling.price(token)).toBe(smallest("10", 18));
  });

  it("carry a stablecoin that is pinned to one, and paths that end at it", () => {
    const telling = createTelling({ feeds: [ofEuro], stablecoins: [{ token: usd, currency: "EUR" }] }, { [usd]: 6 });
    telling.pool(pool, [usd, token], [40_000n * 10n ** 6n, 10_000n * unit]);
    telling.close();
    expect([telling.price(usd), telling.price(token)]).toEqual([null, null]);
    telling.say(end, 1_25000000n, euroFeed);
    telling.close(end + 900);
    expect([telling.price(usd), telling.price(token)]).toEqual([smallest("1.25", 6), smallest("5", 18)]);
  });

  it("come from the operator's file too, before feeds where it is asked first", () => {
    const telling = createTelling({ sources: ["file", "feeds"], feeds: [ofEuro] });
    telling.say(start, 1_25000000n, euroFeed);
    telling.write(start, euro, "1.3");
    telling.write(start, currencyAsset("CHF"), "1.1");
    telling.close();
    expect([telling.price(euro), telling.price(currencyAsset("CHF"))]).toEqual(["1.3", "1.1"]);
  });
});

describe("the operator's file", () => {
  it("says prices of whole units from a time on, until it says another or none", () => {
    const telling = createTelling({}, { [token]: 6 });
    telling.write(start + 10, token, "0.0625");
    telling.close();
    expect(telling.price(token)).toBe(smallest("0.0625", 6));
    telling.close(end + 900);
    expect(telling.price(token)).toBe(smallest("0.0625", 6));
    telling.write(end + 900, token, null);
    telling.close(end + 1_800);
    expect(telling.price(token)).toBeNull();
  });

  it("gives way to other sources where it says none", () => {
    const telling = createTelling({ sources: ["file", "stablecoins", "pools"], stablecoins: [{ token: usd }] });
    telling.pool(pool, [usd, token], [40_000n * unit, 10_000n * unit]);
    telling.write(start, token, "7");
    telling.close();
    expect(telling.price(token)).toBe(smallest("7", 18));
    telling.write(end, token, null);
    telling.close(end + 900);
    expect(telling.price(token)).toBe(smallest("4", 18));
  });

  it("prices the native token by its wrapped one as well", () => {
    const telling = createTelling({});
    telling.write(start, weth, "3000");
    telling.close();
    expect([telling.price(weth), telling.price(nativeTokenAddress)]).toEqual([smallest("3000", 18), smallest("3000", 18)]);
  });

  it("says nothing of a token whose decimals are not known", () => {
    const telling = createTelling({}, { [token]: null });
    telling.write(start, token, "3000");
    telling.close();
    expect(telling.price(token)).toBeNull();
  });
});

describe("the order of sources", () => {
  const all = { file: "9", feeds: "8", stablecoins: "1", pools: "4" };
  /** A token that each source has another price of; pools by way of a second stablecoin. */
  const priceBy = (sources: readonly string[]): string | null => {
    const telling = createTelling({
      sources,
      feeds: [{ of: token, aggregators: [feed] }],
      stablecoins: [{ token: usd }, ...(sources.includes("stablecoins") && sources[0] !== "pools" ? [{ token }] : [])],
    });
    telling.pool(pool, [usd, token], [40_000n * unit, 10_000n * unit]);
    telling.say(start, 8_00000000n);
    telling.write(start, token, "9");
    telling.close();
    return telling.price(token);
  };

  it.each([
    ["file", "feeds", "stablecoins", "pools"],
    ["feeds", "file", "stablecoins", "pools"],
    ["stablecoins", "file", "feeds", "pools"],
    ["stablecoins"],
    ["feeds"],
    ["file"],
    ["pools", "feeds", "file", "stablecoins"],
  ] as const)("is the operator's: %s first", (...sources) => {
    expect(priceBy(sources)).toBe(smallest(all[sources[0]], 18));
  });

  it("does not ask a source that is left out", () => {
    const telling = createTelling({ sources: ["feeds"], feeds: [{ of: other, aggregators: [feed] }], stablecoins: [{ token: usd }] });
    telling.say(start, 1_00000000n);
    telling.pool(pool, [other, token], [40_000n * unit, 10_000n * unit], start - 1_000, 20_000n * unit);
    telling.write(start, token, "9");
    telling.close();
    expect([other, token, usd, pool].map(telling.price)).toEqual([smallest("1", 18), null, null, null]);
  });

  it("does not value pools' own tokens where pools are left out", () => {
    const telling = createTelling({
      sources: ["feeds", "stablecoins"],
      feeds: [{ of: other, aggregators: [feed] }],
      stablecoins: [{ token: usd }],
    });
    telling.say(start, 1_00000000n);
    telling.pool(pool, [usd, other], [40_000n * unit, 40_000n * unit], start - 1_000, 40_000n * unit);
    telling.close();
    expect([usd, other, pool].map(telling.price)).toEqual([smallest("1", 18), smallest("1", 18), null]);
  });

  it("ends paths at feeds where pools are asked first and know nothing better", () => {
    const telling = createTelling({ sources: ["pools", "feeds"], feeds: [{ of: "native", aggregators: [feed] }] });
    telling.say(start, 2_000_00000000n);
    telling.pool(pool, [weth, token], [10n * unit, 5_000n * unit]);
    telling.close();
    expect([telling.price(weth), telling.price(token)]).toEqual([smallest("2000", 18), smallest("4", 18)]);
  });
});
