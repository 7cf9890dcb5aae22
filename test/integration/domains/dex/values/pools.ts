import { describe, expect, it } from "vitest";
import { currencyAsset } from "../../../../../runtime/domains/prices/engine/assets.ts";
import { type Address, nativeTokenAddress } from "../../../../../runtime/lib/hex.ts";
import type { ResponseData } from "../../pools/serve-pools.ts";
import { exactValue, finishHours, rollUp, secondsPerDay, secondsPerHour, toDollars } from "../support.ts";
import {
  activePools,
  allPages,
  closedEnd,
  dateOf,
  feesOf,
  heightBefore,
  hourOf,
  midnights,
  poolLiquidity,
  poolVolume,
  priceOf,
  reservesAt,
  swapsOf,
  total,
} from "./expected.ts";
import { api, closingBlock, exchange, firstDay, firstHour, head, headTime, pairs, priced, sides, testDatabase, tokens } from "./setup.ts";

const weekVolume = (pair: Address, end: number): bigint | null => {
  const spans = Array.from({ length: 7 }, (_, day) => poolVolume(pair, end - (day + 1) * secondsPerDay, end - day * secondsPerDay));
  return spans.some((span) => span === null) ? null : total(spans.map((span) => span ?? 0n));
};
const ranked = async (end: number): Promise<Address[]> => {
  const values = new Map<Address, bigint | null>();
  for (const pair of activePools(end)) values.set(pair, await poolLiquidity(pair, heightBefore(end), hourOf(end)));
  const known = [...values].filter((entry): entry is [Address, bigint] => entry[1] !== null);
  const unknown = [...values].filter(([, value]) => value === null).map(([pair]) => pair);
  return [...known.sort(([, left], [, right]) => (left < right ? 1 : -1)).map(([pair]) => pair), ...unknown.sort()];
};
const expectPool = async (item: ResponseData, end: number): Promise<void> => {
  const [pair, hour] = [item.exchange as Address, hourOf(end)];
  const [day, week] = [poolVolume(pair, end - secondsPerDay, end), weekVolume(pair, end)];
  const liquidityValue = await poolLiquidity(pair, heightBefore(end), hour);
  expect([item.total_liquidity_quote, item.volume_24h_quote, item.volume_7d_quote, item.fee_24h_quote], pair).toEqual([
    toDollars(liquidityValue),
    toDollars(day),
    toDollars(week),
    feesOf(day),
  ]);
  const annual =
    liquidityValue === null || liquidityValue === 0n || day === null ? null : (Number(day) * 0.003 * 365) / Number(liquidityValue);
  if (annual === null) expect(item.annualized_fee).toBeNull();
  else expect(item.annualized_fee).toBeCloseTo(annual, 12);
  const [first, second] = sides.get(pair) ?? [];
  expect([item.token_0.quote_rate, item.token_1.quote_rate]).toEqual([priceOf(first ?? "", hour), priceOf(second ?? "", hour)]);
  expect(item.quote_rate).toBe(priceOf(pair, hour));
};
/** Compares one day of a pool's series with its swaps and the pool's state at its end. */
const expectDay = async (item: ResponseData, position: number, start: number, to: number): Promise<void> => {
  const [pair, hour] = [item.exchange as Address, hourOf(to)];
  const [first = "", second = ""] = sides.get(pair) ?? [];
  const series = [item.volume_timeseries_30d, item.liquidity_timeseries_30d, item.price_timeseries_30d];
  const [volumePoint, liquidityPoint, price] = series.map((points) => points[position]);
  const isPriced = hour >= firstHour;
  const rates = isPriced ? [priceOf(first, hour), priceOf(second, hour)] : [null, null];
  const unpriced = swapsOf([pair], start, to).length === 0 ? 0 : null;
  expect(volumePoint.volume_quote, `${pair} ${dateOf(start)}`).toBe(isPriced ? toDollars(poolVolume(pair, start, to)) : unpriced);
  expect(liquidityPoint.liquidity_quote).toBe(isPriced ? toDollars(await poolLiquidity(pair, heightBefore(to), hour)) : null);
  expect([volumePoint.token_0_quote_rate, liquidityPoint.token_1_quote_rate]).toEqual(rates);
  expect([price.price_of_token0_in_quote_currency, price.price_of_token1_in_quote_currency]).toEqual(rates);
};

/** Tests of pool values, before and after hours are rolled up. */
export const describePools = (): void => {
  describe("an exchange without rolled-up hours", () => {
    it("lists pools by address, with their values", async () => {
      const items = await allPages("week/xy=k/swap/pools/", 2);
      expect(items.map((item) => item.exchange)).toEqual([...activePools(closedEnd())].sort());
      for (const item of items) await expectPool(item, closedEnd());
    });

    it("has swap counts without values", async () => {
      const [item] = (await api.get("week/xy=k/swap/ecosystem/")).items;
      expect(item.total_swaps_24h).toBe(swapsOf(pairs, headTime() + 1 - secondsPerDay, headTime() + 1).length);
      expect([item.total_fees_24h, item.liquidity_chart_7d.at(-1).liquidity_quote]).toEqual([null, null]);
      expect(item.gas_token_price_quote).toBe(priceOf(nativeTokenAddress, Math.floor(headTime() / secondsPerHour)));
    });

    it("is not rolled up before prices are computed", async () => {
      expect(await rollUp(testDatabase.database, [exchange.factory])).toBe(0);
    });
  });

  describe("rolled-up hours", () => {
    it("include the last closed one and the last one of each day with prices", async () => {
      const last = hourOf(closedEnd());
      await finishHours(testDatabase.database, firstHour, last, closingBlock);
      // Nine full days and the last closed hour of the tenth.
      expect(await rollUp(testDatabase.database, [exchange.factory])).toBe(10);
      expect(await rollUp(testDatabase.database, [exchange.factory])).toBe(0);
      const rows = await testDatabase.database.query<{ hour: number; block_number: number }>(
        "SELECT hour, block_number FROM exchange_hours ORDER BY hour",
      );
      const hours = [...Array.from({ length: 9 }, (_, day) => firstHour + day * 24 + 23), last];
      expect(rows).toEqual(hours.map((hour) => ({ hour, block_number: closingBlock(hour) })));
    });

    it("are recomputed, with the same values, after the price settings change", async () => {
      const stored = () => testDatabase.database.query("SELECT * FROM exchange_hour_pools ORDER BY hour, rank");
      const before = await stored();
      await testDatabase.database.query("INSERT INTO price_settings (chain_id, fingerprint, revision) VALUES (31337, 'others', 0)");
      expect(await rollUp(testDatabase.database, [exchange.factory])).toBe(10);
      expect(await stored()).toEqual(before);
    });
  });

  describe("the list of pools", () => {
    it("is ranked by liquidity, unknown values last, and contains values", async () => {
      const expected = await ranked(closedEnd());
      expect(expected).toHaveLength(5);
      // A drained pool has the value 0, which ranks above unknown.
      expect(expected[2]).toBe(pairs[4]);
      for (const size of [1, 2, 5, 100]) {
        const items = await allPages("week/xy=k/swap/pools/", size);
        expect(items.map((item) => item.exchange)).toEqual(expected);
        for (const item of items) await expectPool(item, closedEnd());
      }
      const [item] = (await api.get("week/xy=k/swap/pools/")).items;
      expect(item.pretty_total_liquidity_quote).toMatch(/^\$[\d,]+\.\d\d[MB]?$/);
    });

    it.each(["pools", "tokens"])("is empty beyond its end (%s)", async (list) => {
      const { items, pagination } = await api.get(`week/xy=k/swap/${list}/?page-number=100&page-size=1000`);
      expect([items, pagination.has_more]).toEqual([[], false]);
    });

    it("is ranked by the values at the end of a past day", async () => {
      for (const day of [0, 1, 2, 4, 8]) {
        const end = firstDay + (day + 1) * secondsPerDay;
        const { items } = await api.get(`week/xy=k/swap/pools/?date=${dateOf(end - 1)}`);
        expect(
          items.map((item: ResponseData) => item.exchange),
          dateOf(end - 1),
        ).toEqual(await ranked(end));
        for (const item of items) await expectPool(item, end);
      }
    });
  });

  describe("a pool", () => {
    it("has 8-day and 31-day series, with each day valued at its closing prices", async () => {
      const end = headTime() + 1;
      for (const pair of pairs) {
        const [item] = (await api.get(`week/xy=k/swap/pools/address/${pair}/`)).items;
        await expectPool(item, end);
        const [first = "", second = ""] = sides.get(pair) ?? [];
        const reserves = await reservesAt(pair, head);
        expect([item.token_0_reserve_quote, item.token_1_reserve_quote]).toEqual([
          toDollars(exactValue(reserves[0], priced.get(first), hourOf(end))),
          toDollars(exactValue(reserves[1], priced.get(second), hourOf(end))),
        ]);
        expect([item.volume_timeseries_7d, item.liquidity_timeseries_7d, item.price_timeseries_7d].map((series) => series.length)).toEqual([
          8, 8, 8,
        ]);
        for (const [position, start] of midnights(end, 31).entries())
          await expectDay(item, position, start, Math.min(start + secondsPerDay, end));
      }
    });

    it("has the same series in the list of a token's pools", async () => {
      const { items } = await api.get(`week/xy=k/swap/tokens/address/${tokens[1]}/`);
      expect(items).toHaveLength(2);
      for (const item of items) expect([item]).toEqual((await api.get(`week/xy=k/swap/pools/address/${item.exchange}/`)).items);
    });

    it("has values in other currencies, and null without an exchange rate", async () => {
      const [end, hour] = [headTime() + 1, hourOf(headTime() + 1)];
      const rate = Number(priced.get(currencyAsset("EUR"))?.centsAt(hour)) / 100;
      const usd = await api.get(`week/xy=k/tokens/address/${tokens[0]}/pools/page/0/`);
      const eur = await api.get(`week/xy=k/tokens/address/${tokens[0]}/pools/page/0/?quote-currency=eur`);
      expect(eur.quote_currency).toBe("EUR");
      for (const [position, item] of usd.items.entries()) {
        const pair = item.exchange as Address;
        expect([item.total_liquidity_quote, item.volume_24h_quote, item.volume_7d_quote, item.fee_24h_quote]).toEqual([
          toDollars(await poolLiquidity(pair, head, hour)),
          toDollars(poolVolume(pair, end - secondsPerDay, end)),
          toDollars(weekVolume(pair, end)),
          feesOf(poolVolume(pair, end - secondsPerDay, end)),
        ]);
        const other = eur.items[position];
        expect(other.total_liquidity_quote).toBeCloseTo(item.total_liquidity_quote / rate, 6);
        // Each of the seven days is converted at its closing rate.
        const days = Array.from({ length: 7 }, (_, day) => end - day * secondsPerDay).map(
          (to) =>
            (toDollars(poolVolume(pair, to - secondsPerDay, to)) ?? 0) /
            (Number(priced.get(currencyAsset("EUR"))?.centsAt(hourOf(to))) / 100),
        );
        expect(other.volume_7d_quote).toBeCloseTo(
          days.reduce((sum, value) => sum + value, 0),
          5,
        );
        expect(other.annualized_fee).toBe(item.annualized_fee);
        expect(item.pretty_quote_rate).toBe(
          pair === pairs[0] ? `$${(priceOf(pair, hour) ?? 0).toLocaleString("en-US", { minimumFractionDigits: 2 })}` : null,
        );
      }
      const yen = await api.get(`week/xy=k/tokens/address/${tokens[0]}/pools/page/0/?quote-currency=JPY`);
      expect(yen.items.map((item: ResponseData) => [item.total_liquidity_quote, item.token_0.quote_rate, item.quote_rate])).toEqual(
        yen.items.map(() => [null, null, null]),
      );
    });
  });
};
