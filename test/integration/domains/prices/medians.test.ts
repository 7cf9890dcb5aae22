import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChainConfig } from "../../../../runtime/config/config.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { type Market, midnight, openMarket, type Reserves, reservesOf } from "./market.ts";
import { pricedChain, pricesIn, pricesOfFreshIndex, startPricing } from "./support.ts";

// Compares the prices of three days of swaps, in an index that follows the chain, with per-second medians of the pairs' reserves on the node.
let market: Market;
let settings: ChainConfig;
let testDatabase: TestDatabase;
const secondsPerDay = 86_400;
const dayCount = 3;

beforeAll(async () => {
  market = await openMarket();
  const { chain, exchange, usd } = market;
  settings = pricedChain({ exchanges: [{ name: "swap", factory: exchange.factory }], prices: { stablecoins: [{ token: usd }] } });
  testDatabase = await createTestDatabase();
  // The index follows the chain; its process restarts in the middle of a day and of an hour.
  for (const [seed, from, to] of [
    ["one", -5_000, 20_000],
    ["two", 20_000, 20_300],
    ["three", 20_300, secondsPerDay + 40_000],
    ["four", secondsPerDay + 40_000, dayCount * secondsPerDay - 600],
  ] as const) {
    const pricing = await startPricing(chain, testDatabase.database, settings);
    for (let time = from; time < to; time += 5_000) {
      await market.trade(`${seed}${time}`, midnight + time, midnight + Math.min(time + 5_000, to));
      await pricing.computeAll();
    }
    await pricing.end();
  }
  await chain.mine(midnight + dayCount * secondsPerDay + 900);
  const pricing = await startPricing(chain, testDatabase.database, settings);
  await pricing.computeAll();
  await pricing.end();
}, 240_000);

afterAll(async () => {
  await testDatabase?.drop();
  await market?.chain.stop();
});

/** The quotient of two integers in the index's format: truncated to 40 significant digits, without trailing zeros. */
const truncatedQuotient = (numerator: bigint, denominator: bigint, decimalPlaces = 120): string => {
  const digits = ((numerator * 10n ** BigInt(decimalPlaces)) / denominator).toString();
  const truncated = digits.slice(0, 40) + "0".repeat(Math.max(0, digits.length - 40));
  const text = truncated.padStart(decimalPlaces + 1, "0");
  return `${text.slice(0, -decimalPlaces)}.${text.slice(-decimalPlaces)}`.replace(/\.?0+$/, "");
};

/** The median of the known values in 900 seconds; the lower of two middle values. */
const medianOf = <T>(values: readonly (T | null)[], isLess: (left: T, right: T) => boolean): T | null => {
  const sorted = values.filter((value) => value !== null).sort((left, right) => (isLess(left, right) ? -1 : isLess(right, left) ? 1 : 0));
  return sorted[Math.ceil(sorted.length / 2) - 1] ?? null;
};

/** The reserves in each second of the bucket that ends at a time. */
const secondsBefore = (history: readonly Reserves[], end: number): (Reserves | null)[] =>
  Array.from({ length: 900 }, (_, second) => history.findLast(({ time }) => time <= end - 900 + second) ?? null);

/** The median price in a bucket of a pair's second token, in units of the first, as a fraction; null if the pair holds too little of the first. */
const bucketPriceOf = (history: readonly Reserves[], end: number, floor: bigint): readonly [bigint, bigint] | null => {
  const seconds = secondsBefore(history, end);
  const depth = medianOf(
    seconds.map((reserves) => reserves?.amounts[0] ?? 0n),
    (left, right) => left < right,
  );
  if (depth === null || depth < floor) return null;
  // The index orders by the inverse price, which matters only if two prices have equal durations. There are no such prices here.
  return medianOf(
    seconds.map((reserves) => (reserves === null || reserves.amounts[0] === 0n ? null : reserves.amounts)),
    (left, right) => left[0] * right[1] < right[0] * left[1],
  );
};

type Row = readonly [number, string | null, string | null, string | null, string | null];

/** Hourly or daily rows from each bucket's price: a row exists if any of its buckets differs from the previous one. */
const rowsOf = (quarters: readonly (string | null)[], from: number, size: number): Row[] => {
  const rows: Row[] = [];
  for (let start = 0; start < quarters.length; start += size) {
    const span = quarters.slice(start, start + size);
    if (span.every((price, position) => price === (quarters[start + position - 1] ?? null))) continue;
    const sorted = span.filter((price) => price !== null).sort((left, right) => Number(left) - Number(right));
    rows.push([from + start / size, span[0] ?? sorted[0] ?? null, sorted.at(-1) ?? null, sorted[0] ?? null, span.at(-1) ?? null]);
  }
  return rows;
};

const stored = async (table: "price_hours" | "price_days", span: "hour" | "day", asset: Address): Promise<Row[]> => {
  const rows = await testDatabase.database.query<Record<"open" | "high" | "low" | "close", string | null> & { span: number }>(
    `SELECT ${span} AS span, open, high, low, close FROM ${table} WHERE asset = decode($1, 'hex') ORDER BY 1`,
    [asset.slice(2)],
  );
  return rows.map((row) => [row.span, row.open, row.high, row.low, row.close]);
};

const firstDay = midnight / secondsPerDay - 1;
const quarterEnds = Array.from({ length: (dayCount + 1) * 96 }, (_, quarter) => firstDay * secondsPerDay + (quarter + 1) * 900);

describe("prices of three days of swaps", () => {
  it("are the medians of the node's reserves in each bucket, by hour and day", async () => {
    const { chain, pairs, usd, token } = market;
    const history = await reservesOf(chain, pairs[0], [usd, token]);
    expect(history.length).toBeGreaterThan(60);
    const quarters = quarterEnds.map((end) => {
      const ratio = bucketPriceOf(history, end, 10_000n * 10n ** 18n);
      // A stablecoin's smallest unit is 10^-18 dollars.
      return ratio === null ? null : truncatedQuotient(ratio[0], ratio[1] * 10n ** 18n);
    });
    expect(quarters[0]).toBeNull();
    const hours = rowsOf(quarters, firstDay * 24, 4);
    expect(hours.length).toBeGreaterThan(40);
    expect(await stored("price_hours", "hour", token)).toEqual(hours);
    expect(await stored("price_days", "day", token)).toEqual(rowsOf(quarters, firstDay, 96));
  });

  it("are the product of two pools' prices for a token that is priced through both", async () => {
    const { chain, pairs, usd, token, other } = market;
    const [near, far] = [await reservesOf(chain, pairs[0], [usd, token]), await reservesOf(chain, pairs[1], [token, other])];
    const rows = await stored("price_hours", "hour", other);
    expect(rows.length).toBeGreaterThan(40);
    const closeAt = (hour: number) => rows.findLast(([span]) => span <= hour)?.[4] ?? null;
    for (let hour = firstDay * 24; hour < (firstDay + dayCount + 1) * 24; hour += 1) {
      const end = (hour + 1) * 3_600;
      const ratios = [bucketPriceOf(near, end, 0n), bucketPriceOf(far, end, 0n)];
      const close = closeAt(hour);
      if (ratios[0] == null || ratios[1] == null) {
        expect(close).toBeNull();
        continue;
      }
      const exact = truncatedQuotient(ratios[0][0] * ratios[1][0], ratios[0][1] * ratios[1][1] * 10n ** 18n);
      // The index truncates after each pool, so the last of 40 digits may differ.
      expect(close?.slice(0, 50), String(hour)).toBe(exact.slice(0, 50));
    }
  });

  it("equal the value of a share of the reserves for an LP token", async () => {
    const { chain, pairs, usd, token } = market;
    const history = await reservesOf(chain, pairs[0], [usd, token]);
    const rows = await stored("price_hours", "hour", pairs[0]);
    expect(rows.length).toBeGreaterThan(40);
    for (const [hour, , , , close] of rows) {
      const end = (hour + 1) * 3_600;
      const price = bucketPriceOf(history, end, 0n);
      const share = medianOf(
        secondsBefore(history, end).map((reserves) => (reserves === null || reserves.supply === 0n ? null : reserves)),
        (left, right) => left.amounts[0] * left.amounts[1] * right.supply ** 2n < right.amounts[0] * right.amounts[1] * left.supply ** 2n,
      );
      if (price === null || share === null) throw new Error(`The pair has no price or share value in hour ${hour}`);
      // (price × supply / 2)² is the product of the values of both sides: reserve × 10^-18 and reserve × the token's price × 10^-18.
      const scaled = BigInt((close ?? "").replace(/^0\./, "").padEnd(80, "0").slice(0, 80));
      const squared = (scaled * share.supply) ** 2n / 4n;
      const expected = (share.amounts[0] * share.amounts[1] * price[0] * 10n ** 160n) / (price[1] * 10n ** 36n);
      const difference = squared > expected ? squared - expected : expected - squared;
      expect(difference * 10n ** 30n < expected, String(hour)).toBe(true);
    }
  });

  it("are the same whether they are computed in one run or in small portions", async () => {
    const followed = await pricesIn(testDatabase.database);
    expect(followed.price_hours?.length).toBeGreaterThan(150);
    expect(await pricesOfFreshIndex(market.chain, settings)).toEqual(followed);
    const portions = { bounds: { maxRows: 1, maxMilliseconds: 1_000 }, pageSize: 2 };
    expect(await pricesOfFreshIndex(market.chain, settings, portions)).toEqual(followed);
  }, 120_000);
});
