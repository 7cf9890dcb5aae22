import { describe, expect, it } from "vitest";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { contract, createTelling, end, feed, smallest, start, token, unit, usd } from "./observing.ts";

const stablecoins = [{ token: usd }];
const [pool, tiny] = ["a1", "b2"].map(contract) as [Address, Address];
const four = smallest("4", 18);
/** 4 dollars, and what a swap of 60,000 dollars leaves of that: 100,000 × 4,000 is 40,000 × 10,000. */
const defaultValue = [40_000n * unit, 10_000n * unit] as const;
const skewed = [100_000n * unit, 4_000n * unit] as const;
const skewedPrice = smallest("25", 18);

const traded = (reserves: readonly [bigint, bigint] = defaultValue, time = start - 1_000) => {
  const telling = createTelling({ stablecoins });
  telling.pool(pool, [usd, token], reserves, time);
  return telling;
};

describe("a price over time", () => {
  it("is not that of a block in the middle that is taken back in the next", () => {
    const telling = traded();
    telling.now(pool, start + 400, skewed);
    telling.now(pool, start + 412, defaultValue);
    telling.close();
    expect(telling.price(token)).toBe(four);
  });

  it("is by the last block of a second, where a second has several", () => {
    const telling = traded();
    // What was lent, used and paid back within one second stood for no time.
    telling.now(pool, start, skewed);
    telling.now(pool, start, defaultValue);
    telling.close();
    expect(telling.price(token)).toBe(four);
  });

  it("is not that of the quarter's last block", () => {
    const telling = traded();
    telling.now(pool, end - 1, skewed);
    telling.close();
    expect(telling.price(token)).toBe(four);
    // Which stands in the next quarter from its beginning, and is the price then.
    telling.close(end + 900);
    expect(telling.price(token)).toBe(skewedPrice);
  });

  it.each([
    [7 * 60, four],
    [449, four],
    // Of two that stood equally long the lower ratio counts: here that of the skewed one, of fewer tokens for a dollar.
    [450, skewedPrice],
    [8 * 60, skewedPrice],
  ])("that is skewed for %i of 900 seconds is %s", (seconds, expected) => {
    const telling = traded();
    telling.now(pool, end - seconds, skewed);
    telling.close();
    expect(telling.price(token)).toBe(expected);
  });

  it("is the middle one of many", () => {
    const telling = traded();
    // Five prices, 180 seconds each: 4, 8, 2, 16, 1 dollars. The middle one in order is 4.
    const tokens = [10_000n, 5_000n, 20_000n, 2_500n, 40_000n];
    for (const [position, amount] of tokens.entries()) telling.now(pool, start + position * 180, [40_000n * unit, amount * unit]);
    telling.close();
    expect(telling.price(token)).toBe(four);
  });

  it("goes on as it was while nothing happens", () => {
    const telling = traded();
    telling.close();
    for (let quarter = 1; quarter < 100; quarter += 1) telling.close(end + quarter * 900);
    expect(telling.price(token)).toBe(four);
    expect(telling.model.closeBucket(end + 100 * 900)).toBeNull();
  });
});

describe("liquidity over time", () => {
  it("that appears for one block makes no pool deep", () => {
    const telling = createTelling({ stablecoins });
    telling.pool(pool, [usd, token], defaultValue);
    telling.pool(tiny, [usd, token], [100n * unit, 1n * unit]);
    telling.now(tiny, end - 24, [1_000_000n * unit, 10_000n * unit]);
    telling.now(tiny, end - 12, [100n * unit, 1n * unit]);
    telling.close();
    expect(telling.price(token)).toBe(four);
    telling.now(tiny, end + 899, [1_000_000n * unit, 10_000n * unit]);
    telling.close(end + 900);
    expect(telling.price(token)).toBe(four);
  });

  it("that was there for most of the quarter counts, and its price of the time that it was there", () => {
    const telling = createTelling({ stablecoins });
    telling.pool(pool, [usd, token], defaultValue, start + 449);
    telling.close();
    // 451 of 900 seconds.
    expect(telling.price(token)).toBe(four);
  });

  it("of the quarter's last minutes gives no price yet", () => {
    const telling = traded(defaultValue, end - 120);
    telling.close();
    expect(telling.price(token)).toBeNull();
    telling.close(end + 900);
    expect(telling.price(token)).toBe(four);
  });

  it("that is gone leaves no price, rather than one of 0", () => {
    const telling = traded();
    telling.close();
    telling.now(pool, end, [0n, 0n]);
    telling.close(end + 900);
    expect(telling.price(token)).toBeNull();
    telling.close(end + 1_800);
    expect(telling.price(token)).toBeNull();
    telling.now(pool, end + 1_800, defaultValue);
    telling.close(end + 2_700);
    expect(telling.price(token)).toBe(four);
  });

  it.each([[[0n, 10n * unit]], [[10n ** 30n, 0n]]] as const)("of one token alone gives no price: %o", (reserves) => {
    const telling = traded(reserves);
    telling.close();
    expect(telling.price(token)).toBeNull();
  });

  it("of which nothing is known gives no price", () => {
    const telling = traded();
    telling.now(pool, start, null);
    telling.close();
    expect(telling.price(token)).toBeNull();
  });
});

describe("a look at the prices of now", () => {
  it("sees the last 15 minutes, and changes nothing of what is closed later", () => {
    const [looked, undisturbed] = [traded(), traded()];
    for (const telling of [looked, undisturbed]) {
      telling.close();
      telling.now(pool, end + 10, skewed);
    }
    // The skewed price stands since `end + 10`: 450 of 900 seconds at `end + 460`.
    expect(looked.look(end + 460, token)).toBe(skewedPrice);
    expect(looked.look(end + 459, token)).toBe(four);
    looked.look(end + 899, token);
    for (const telling of [looked, undisturbed]) telling.close(end + 900);
    expect(looked.price(token)).toBe(skewedPrice);
    expect(undisturbed.price(token)).toBe(skewedPrice);
  });

  it("does not hide a feed's answer from the quarter that it is in", () => {
    const telling = createTelling({ feeds: [{ of: token, aggregators: [feed], maxAgeSeconds: 3_600 }] });
    telling.say(start, 4_00000000n);
    telling.close();
    telling.say(end + 100, 5_00000000n);
    expect(telling.look(end + 200, token)).toBe(smallest("5", 18));
    telling.close(end + 900);
    expect(telling.price(token)).toBe(smallest("5", 18));
  });

  it("does not hide from a quarter that a feed has grown too old in it", () => {
    const telling = createTelling({ feeds: [{ of: token, aggregators: [feed], maxAgeSeconds: 1_000 }] });
    telling.say(start, 4_00000000n);
    telling.close();
    expect(telling.look(start + 1_001, token)).toBeNull();
    telling.close(start + 1_800);
    expect(telling.price(token)).toBeNull();
  });
});
