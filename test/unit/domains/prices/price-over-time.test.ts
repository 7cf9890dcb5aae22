import { describe, expect, it } from "vitest";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { contract, createObservedModel, end, feed, perUnit, start, token, unit, usd } from "./observed-model.ts";

const stablecoins = [{ token: usd }];
const [pool, tiny] = ["a1", "b2"].map(contract) as [Address, Address];
const four = perUnit("4", 18);
/** Reserves at 4 dollars, and the same reserves after a 60,000-dollar swap: 100,000 × 4,000 is 40,000 × 10,000. */
const defaultReserves = [40_000n * unit, 10_000n * unit] as const;
const skewed = [100_000n * unit, 4_000n * unit] as const;
const skewedPrice = perUnit("25", 18);

const startModel = (reserves: readonly [bigint, bigint] = defaultReserves, time = start - 1_000) => {
  const observed = createObservedModel({ stablecoins });
  observed.addPool(pool, [usd, token], reserves, time);
  return observed;
};

describe("a price over time", () => {
  it("ignores a skew that the next block reverses", () => {
    const observed = startModel();
    observed.updatePool(pool, start + 400, skewed);
    observed.updatePool(pool, start + 412, defaultReserves);
    observed.close();
    expect(observed.price(token)).toBe(four);
  });

  it("uses the last block in a second that has several", () => {
    const observed = startModel();
    // A flash loan that is repaid within the second has no duration.
    observed.updatePool(pool, start, skewed);
    observed.updatePool(pool, start, defaultReserves);
    observed.close();
    expect(observed.price(token)).toBe(four);
  });

  it("is not determined by the bucket's last block", () => {
    const observed = startModel();
    observed.updatePool(pool, end - 1, skewed);
    observed.close();
    expect(observed.price(token)).toBe(four);
    // The state holds for the entire next bucket and sets its price.
    observed.close(end + 900);
    expect(observed.price(token)).toBe(skewedPrice);
  });

  it.each([
    [7 * 60, four],
    [449, four],
    // If two ratios have equal durations, the lower one is the median: here the skewed one, with fewer tokens per dollar.
    [450, skewedPrice],
    [8 * 60, skewedPrice],
  ])("ignores a skew unless it lasts for half of the bucket (%i of 900 seconds: %s)", (seconds, expected) => {
    const observed = startModel();
    observed.updatePool(pool, end - seconds, skewed);
    observed.close();
    expect(observed.price(token)).toBe(expected);
  });

  it("is the median of the bucket", () => {
    const observed = startModel();
    // Five prices, 180 seconds each: 4, 8, 2, 16, 1 dollars. The median is 4.
    const tokens = [10_000n, 5_000n, 20_000n, 2_500n, 40_000n];
    for (const [position, amount] of tokens.entries()) observed.updatePool(pool, start + position * 180, [40_000n * unit, amount * unit]);
    observed.close();
    expect(observed.price(token)).toBe(four);
  });

  it("stays the same while nothing happens", () => {
    const observed = startModel();
    observed.close();
    for (let quarter = 1; quarter < 100; quarter += 1) observed.close(end + quarter * 900);
    expect(observed.price(token)).toBe(four);
    expect(observed.model.closeBucket(end + 100 * 900)).toBeNull();
  });
});

describe("liquidity over time", () => {
  it("does not make a pool deep if it lasts for one block", () => {
    const observed = createObservedModel({ stablecoins });
    observed.addPool(pool, [usd, token], defaultReserves);
    observed.addPool(tiny, [usd, token], [100n * unit, 1n * unit]);
    observed.updatePool(tiny, end - 24, [1_000_000n * unit, 10_000n * unit]);
    observed.updatePool(tiny, end - 12, [100n * unit, 1n * unit]);
    observed.close();
    expect(observed.price(token)).toBe(four);
    observed.updatePool(tiny, end + 899, [1_000_000n * unit, 10_000n * unit]);
    observed.close(end + 900);
    expect(observed.price(token)).toBe(four);
  });

  it("sets a price if it lasts for most of the bucket", () => {
    const observed = createObservedModel({ stablecoins });
    observed.addPool(pool, [usd, token], defaultReserves, start + 449);
    observed.close();
    // It lasts for 451 of 900 seconds.
    expect(observed.price(token)).toBe(four);
  });

  it("sets no price at first if it is added in the last minutes of a bucket", () => {
    const observed = startModel(defaultReserves, end - 120);
    observed.close();
    expect(observed.price(token)).toBeNull();
    observed.close(end + 900);
    expect(observed.price(token)).toBe(four);
  });

  it("leaves an unknown price, not 0, after it is removed", () => {
    const observed = startModel();
    observed.close();
    observed.updatePool(pool, end, [0n, 0n]);
    observed.close(end + 900);
    expect(observed.price(token)).toBeNull();
    observed.close(end + 1_800);
    expect(observed.price(token)).toBeNull();
    observed.updatePool(pool, end + 1_800, defaultReserves);
    observed.close(end + 2_700);
    expect(observed.price(token)).toBe(four);
  });

  it.each([[[0n, 10n * unit]], [[10n ** 30n, 0n]]] as const)("sets no price if it consists of only one token: %o", (reserves) => {
    const observed = startModel(reserves);
    observed.close();
    expect(observed.price(token)).toBeNull();
  });

  it("sets no price if its amount is unknown", () => {
    const observed = startModel();
    observed.updatePool(pool, start, null);
    observed.close();
    expect(observed.price(token)).toBeNull();
  });
});

describe("current prices", () => {
  it("cover the last 15 minutes, and do not affect later buckets", () => {
    const [previewed, withoutPreview] = [startModel(), startModel()];
    for (const observed of [previewed, withoutPreview]) {
      observed.close();
      observed.updatePool(pool, end + 10, skewed);
    }
    // The skewed price has held since `end + 10`: 450 of 900 seconds at `end + 460`.
    expect(previewed.priceAt(end + 460, token)).toBe(skewedPrice);
    expect(previewed.priceAt(end + 459, token)).toBe(four);
    previewed.priceAt(end + 899, token);
    for (const observed of [previewed, withoutPreview]) observed.close(end + 900);
    expect(previewed.price(token)).toBe(skewedPrice);
    expect(withoutPreview.price(token)).toBe(skewedPrice);
  });

  it("do not remove a feed's answer from its bucket", () => {
    const observed = createObservedModel({ feeds: [{ of: token, aggregators: [feed], maxAgeSeconds: 3_600 }] });
    observed.reportFeed(start, 4_00000000n);
    observed.close();
    observed.reportFeed(end + 100, 5_00000000n);
    expect(observed.priceAt(end + 200, token)).toBe(perUnit("5", 18));
    observed.close(end + 900);
    expect(observed.price(token)).toBe(perUnit("5", 18));
  });

  it("do not keep a feed from becoming stale within a bucket", () => {
    const observed = createObservedModel({ feeds: [{ of: token, aggregators: [feed], maxAgeSeconds: 1_000 }] });
    observed.reportFeed(start, 4_00000000n);
    observed.close();
    expect(observed.priceAt(start + 1_001, token)).toBeNull();
    observed.close(start + 1_800);
    expect(observed.price(token)).toBeNull();
  });
});
