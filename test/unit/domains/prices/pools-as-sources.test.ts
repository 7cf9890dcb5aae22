import { describe, expect, it } from "vitest";
import { type Address, nativeTokenAddress } from "../../../../runtime/lib/hex.ts";
import { contract, createTelling, end, feed, other, smallest, start, third, token, unit, usd, weth } from "./observing.ts";

const stablecoins = [{ token: usd }];
const [first, second, last] = ["a1", "b2", "c3"].map(contract) as [Address, Address, Address];

describe("a price by a constant-product pool", () => {
  it("is what the reserves of the two tokens are to each other", () => {
    const telling = createTelling({ stablecoins });
    // 40,000 dollars for 10,000 tokens: 4 dollars each.
    telling.pool(first, [usd, token], [40_000n * unit, 10_000n * unit]);
    telling.close();
    expect(telling.price(token)).toBe(smallest("4", 18));
    expect(telling.price(usd)).toBe(smallest("1", 18));
  });

  it("is the same whichever token comes first", () => {
    const telling = createTelling({ stablecoins: [{ token: third }] });
    telling.pool(first, [token, third], [10_000n * unit, 40_000n * unit]);
    telling.close();
    expect(telling.price(token)).toBe(smallest("4", 18));
  });

  it("has 40 digits of what does not end, the others cut off", () => {
    const telling = createTelling({ stablecoins });
    // 20,000 / 30,000 dollars: 0.666…, never rounded up.
    telling.pool(first, [usd, token], [20_000n * unit, 30_000n * unit]);
    telling.close();
    expect(telling.price(token)).toBe(`0.${"0".repeat(18)}${"6".repeat(40)}`);
  });

  it.each([
    [0, 6],
    [6, 18],
    [18, 6],
    [36, 18],
    [36, 0],
    [0, 36],
  ])("is of one smallest unit, of a token of %i decimals for a stablecoin of %i", (ofToken, ofUsd) => {
    const telling = createTelling({ stablecoins }, { [usd]: ofUsd, [token]: ofToken });
    // 50,000 whole dollars for 20,000 whole tokens: 2.5 dollars for a whole one.
    telling.pool(first, [usd, token], [50_000n * 10n ** BigInt(ofUsd), 20_000n * 10n ** BigInt(ofToken)]);
    telling.close();
    expect(telling.price(token)).toBe(smallest("2.5", ofToken));
  });

  it("is not known of a stablecoin whose decimals are not, and of what is traded for it", () => {
    const telling = createTelling({ stablecoins }, { [usd]: null });
    telling.pool(first, [usd, token], [50_000n * unit, 20_000n * unit]);
    telling.close();
    expect([telling.price(usd), telling.price(token)]).toEqual([null, null]);
  });

  it("bears a stablecoin of 255 decimals and the largest reserves", () => {
    const telling = createTelling({ stablecoins: [...stablecoins, { token: other }] }, { [usd]: 255 });
    const largest = 2n ** 112n - 1n;
    telling.pool(first, [usd, token], [largest, 1n]);
    telling.pool(second, [token, other], [1n, largest]);
    telling.close();
    expect(telling.price(usd)).toBe(smallest("1", 255));
    // 2^112 - 1 units are next to nothing of the one, and 5,192,296,858,534,827.628530496329220095 dollars of the other.
    expect(telling.price(token)).toBe("5192296858534827.628530496329220095");
  });
});

describe("a price by a pool of concentrated liquidity", () => {
  const q96 = 2n ** 96n;
  it("is the square of its root price, worth as much as its liquidity stands for", () => {
    const telling = createTelling({ stablecoins }, { [usd]: 6 });
    // One smallest unit of the dollar (10^-6) is worth sqrt² = 10^10 of the token's (10^-18): a dollar is worth 0.01 tokens, a token 100 dollars.
    // L = 2 × 10^15 stands for L / sqrt = 2 × 10^10 units of the dollar: 20,000 dollars.
    const word = { sqrtPriceX96: 10n ** 5n * q96, liquidity: 2n * 10n ** 15n, reserve0: 10n ** 12n, reserve1: 10n ** 24n };
    telling.ranges(first, [usd, token], word);
    telling.close();
    expect(telling.price(token)).toBe(smallest("100", 18));
  });

  it("counts for no more than the pool holds, though its narrow range stands for more", () => {
    const telling = createTelling({ stablecoins }, { [usd]: 6 });
    // It stands for 20,000 dollars, and holds 9,999.
    const word = { sqrtPriceX96: 10n ** 5n * q96, liquidity: 2n * 10n ** 15n, reserve0: 9_999n * 10n ** 6n, reserve1: 10n ** 24n };
    telling.ranges(first, [usd, token], word);
    telling.close();
    expect(telling.price(token)).toBeNull();
  });

  it("counts for no more than its liquidity stands for, though it holds more beyond the range", () => {
    const telling = createTelling({ stablecoins }, { [usd]: 6 });
    const word = { sqrtPriceX96: 10n ** 5n * q96, liquidity: 10n ** 14n, reserve0: 10n ** 12n, reserve1: 10n ** 24n };
    telling.ranges(first, [usd, token], word);
    telling.close();
    // 10^14 / 10^5 = 10^9 units: 1,000 dollars.
    expect(telling.price(token)).toBeNull();
  });

  it("counts for no more than what there is to be had at the price: an offer for nothing sets none", () => {
    const telling = createTelling({ stablecoins }, { [usd]: 6 });
    // 40,000 dollars for 10,000 tokens: 4 dollars each.
    telling.pool(first, [usd, token], [40_000n * 10n ** 6n, 10_000n * unit]);
    // A million dollars are offered at a dollar for 100 tokens, in a range that stands for more, in a pool that has one token to give: worth 0.01 dollars there.
    const word = { sqrtPriceX96: 10n ** 7n * q96, liquidity: 10n ** 20n, reserve0: 10n ** 12n, reserve1: unit };
    telling.ranges(second, [usd, token], word);
    telling.close();
    expect(telling.price(token)).toBe(smallest("4", 18));
  });

  it.each([{ sqrtPriceX96: 0n }, { sqrtPriceX96: null }, { liquidity: null }, { liquidity: 0n }, { reserve0: null }, { reserve1: null }])(
    "is not known where something of it is not: %o",
    (missing) => {
      const telling = createTelling({ stablecoins }, { [usd]: 6 });
      const word = { sqrtPriceX96: 10n ** 5n * q96, liquidity: 2n * 10n ** 15n, reserve0: 10n ** 12n, reserve1: 10n ** 24n, ...missing };
      telling.ranges(first, [usd, token], word);
      telling.close();
      expect(telling.price(token)).toBeNull();
    },
  );
});

describe("a path of pools", () => {
  it("leads over two and three of them to a stablecoin", () => {
    const telling = createTelling({ stablecoins });
    // 4 dollars; 4 × 30,000 / 60,000 = 2; 2 × 70,000 / 10,000 = 14 dollars.
    telling.pool(first, [usd, token], [40_000n * unit, 10_000n * unit]);
    telling.pool(second, [token, other], [30_000n * unit, 60_000n * unit]);
    telling.pool(last, [other, third], [70_000n * unit, 10_000n * unit]);
    telling.close();
    expect([token, other, third].map(telling.price)).toEqual(["4", "2", "14"].map((price) => smallest(price, 18)));
  });

  it("leads over four and not over five", () => {
    const telling = createTelling({ stablecoins });
    const chain = [usd, token, other, third, contract("66"), contract("77")] as const;
    for (let hop = 0; hop < 5; hop += 1) {
      telling.pool(contract(`a${hop}`), [chain[hop], chain[hop + 1]] as [Address, Address], [20_000n * unit, 10_000n * unit]);
    }
    telling.close();
    // Twice as much with each hop.
    expect(chain.map((address) => telling.price(address))).toEqual(
      ["1", "2", "4", "8", "16"].map((price) => smallest(price, 18)).concat([null as never]),
    );
  });

  it("is the one whose shallowest pool is deepest, of those over anchors", () => {
    const euros = contract("e0");
    const telling = createTelling({ stablecoins: [...stablecoins, { token: euros }] });
    // Straight: 20,000 dollars deep, 5 dollars. Over another stablecoin and the native token: 90,000 and 60,000 dollars deep, 3 dollars.
    telling.pool(first, [usd, third], [20_000n * unit, 4_000n * unit]);
    telling.pool(second, [euros, weth], [90_000n * unit, 90_000n * unit]);
    telling.pool(last, [weth, third], [60_000n * unit, 20_000n * unit]);
    telling.close();
    expect(telling.price(third)).toBe(smallest("3", 18));
    // A deep second pool behind a shallow first one is no deeper than that.
    telling.now(second, end, [15_000n * unit, 15_000n * unit]);
    telling.close(end + 900);
    expect(telling.price(third)).toBe(smallest("5", 18));
  });

  it("over somebody's own token is taken where there is no other alone, however deep it is", () => {
    const telling = createTelling({ stablecoins });
    // Straight: 4 dollars. Over a token of which all is in one hand: 41,000 dollars deep, and 1,000 of a dollar each for one.
    telling.pool(first, [usd, third], [40_000n * unit, 10_000n * unit]);
    telling.pool(second, [usd, token], [41_000n * unit, 41_000n * unit]);
    telling.pool(last, [token, third], [41_000n * unit, 41n * unit]);
    telling.close();
    expect(telling.price(third)).toBe(smallest("4", 18));
  });

  it("is by the lower address of two that are equally deep", () => {
    for (const order of [
      [first, second],
      [second, first],
    ]) {
      const telling = createTelling({ stablecoins });
      const tokens = { [first]: 10_000n * unit, [second]: 5_000n * unit };
      for (const pool of order) telling.pool(pool as Address, [usd, token], [20_000n * unit, tokens[pool as Address] as bigint]);
      telling.close();
      // 20,000 dollars for 10,000 tokens in the pool of the lower address.
      expect(telling.price(token)).toBe(smallest("2", 18));
    }
  });

  it("leads over no pool below the floor, however often it is traded in", () => {
    const telling = createTelling({ stablecoins });
    telling.pool(first, [usd, token], [9_999n * unit, 1n]);
    telling.pool(second, [usd, other], [10_000n * unit, 10_000n * unit]);
    for (let time = start; time < end; time += 12) telling.now(first, time, [9_999n * unit, BigInt(time)]);
    telling.close();
    expect([telling.price(token), telling.price(other)]).toEqual([null, smallest("1", 18)]);
  });

  it("does not set a deep pool's price aside for one of a tiny pool", () => {
    const telling = createTelling({ stablecoins, liquidityFloor: 100 });
    telling.pool(first, [usd, token], [200n * unit, 1n * unit]);
    telling.pool(second, [usd, token], [50_000n * unit, 50_000n * unit]);
    telling.close();
    expect(telling.price(token)).toBe(smallest("1", 18));
  });
});

describe("the native token", () => {
  it("is what its feed says, and ends paths of its wrapped form", () => {
    const telling = createTelling({ feeds: [{ of: "native", aggregators: [feed] }] });
    telling.say(start, 2_000_00000000n);
    // 10 native for 5,000 tokens: 2,000 × 10 / 5,000 = 4 dollars; 20,000 dollars deep.
    telling.pool(first, [weth, token], [10n * unit, 5_000n * unit]);
    telling.close();
    expect([nativeTokenAddress, weth, token].map(telling.price)).toEqual(["2000", "2000", "4"].map((price) => smallest(price, 18)));
  });

  it("is priced by its deepest stablecoin pool where it has no feed", () => {
    const telling = createTelling({ stablecoins: [...stablecoins, { token: other }] });
    telling.pool(first, [usd, weth], [30_000n * unit, 10n * unit]);
    telling.pool(second, [weth, other], [20n * unit, 50_000n * unit]);
    telling.pool(last, [weth, token], [10n * unit, 5_000n * unit]);
    telling.close();
    // 50,000 / 20 = 2,500 dollars by the deeper one; 2,500 × 10 / 5,000 = 5.
    expect([nativeTokenAddress, weth, token].map(telling.price)).toEqual(["2500", "2500", "5"].map((price) => smallest(price, 18)));
  });

  it("is not known, nor what is traded for it, without feed and stablecoin", () => {
    const telling = createTelling({});
    telling.pool(first, [weth, token], [10n * unit, 5_000n * unit]);
    telling.close();
    expect([nativeTokenAddress, weth, token].map(telling.price)).toEqual([null, null, null]);
  });
});
