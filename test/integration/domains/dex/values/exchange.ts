import { describe, expect, it } from "vitest";
import { currencyAsset } from "../../../../../runtime/domains/prices/engine/assets.ts";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import type { ResponseData } from "../../pools/serve-pools.ts";
import { exactValue, rollUp, secondsPerDay, toDollars } from "../support.ts";
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
import { api, exchange, firstDay, firstHour, headTime, pairs, priced, sides, testDatabase, tokens } from "./setup.ts";

const sideOf = (pair: Address, token: Address): number => [...(sides.get(pair) ?? [])].indexOf(token);

/** Compares values with amounts of an 18-decimal token at a price. */
const expectValues = (actual: readonly (number | undefined)[], amounts: readonly bigint[], price: number): void => {
  for (const [index, amount] of amounts.entries()) {
    const expected = (Number(amount) / 1e18) * price;
    expect(Math.abs((actual[index] ?? Number.NaN) - expected)).toBeLessThanOrEqual(Math.abs(expected) * 1e-12);
  }
};

/** Tests of an exchange's and its tokens' values. */
export const describeExchange = (): void => {
  describe("tokens of an exchange", () => {
    const reserveOf = async (token: Address, height: number): Promise<bigint> => {
      let reserve = 0n;
      for (const pair of pairs) reserve += (await reservesAt(pair, height))[sideOf(pair, token)] ?? 0n;
      return reserve;
    };
    const volumeOf = (token: Address, from: number, to: number): bigint =>
      total(
        pairs.flatMap((pair) => {
          const side = sideOf(pair, token);
          return side < 0
            ? []
            : swapsOf([pair], from, to).flatMap(({ args }) => [args[`amount${side}In`], args[`amount${side}Out`]] as bigint[]);
        }),
      );

    it("are ranked by the value of their reserves; those with unknown values come last, by address", async () => {
      const [end, hour] = [closedEnd(), hourOf(closedEnd())];
      const values: [Address, bigint][] = [];
      for (const token of tokens.slice(0, 4)) {
        values.push([token, exactValue(await reserveOf(token, heightBefore(end)), priced.get(token), hour) ?? 0n]);
      }
      const expected = [
        ...values.sort(([, left], [, right]) => (left < right ? 1 : -1)).map(([token]) => token),
        ...tokens.slice(4).sort(),
      ];
      for (const size of [1, 4, 5, 100]) {
        const items = await allPages("week/xy=k/swap/tokens/", size);
        expect(items.map((item) => item.contract_address)).toEqual(expected);
        for (const item of items) {
          const token = item.contract_address as Address;
          const [reserve, volume24h] = [await reserveOf(token, heightBefore(end)), volumeOf(token, end - secondsPerDay, end)];
          expect([item.total_liquidity, item.total_volume_24h]).toEqual([String(reserve), String(volume24h)]);
          expect([item.total_liquidity_quote, item.total_volume_24h_quote, item.quote_rate, item.quote_rate_24h]).toEqual([
            toDollars(exactValue(reserve, priced.get(token), hour)),
            toDollars(exactValue(volume24h, priced.get(token), hour)),
            priceOf(token, hour),
            priceOf(token, hour - 24),
          ]);
        }
      }
    });

    it("have 31-day series in the requested currency", async () => {
      const [end, gold] = [headTime() + 1, tokens[1]];
      const [item] = (await api.get(`week/xy=k/swap/tokens/address/${gold}/view/?quote-currency=EUR`)).items;
      for (const [position, start] of midnights(end, 31).entries()) {
        const to = Math.min(start + secondsPerDay, end);
        const hour = hourOf(to);
        const price = hour < firstHour ? null : priceOf(gold, hour);
        const euro = price === null ? null : price / (Number(priced.get(currencyAsset("EUR"))?.centsAt(hour)) / 100);
        const actual = [
          item.price_timeseries_30d[position].quote_rate,
          item.liquidity_timeseries_30d[position].liquidity_quote,
          item.volume_timeseries_30d[position].volume_quote,
        ];
        if (euro === null) expect(actual).toEqual([null, null, null]);
        else expectValues(actual, [10n ** 18n, await reserveOf(gold, heightBefore(to)), volumeOf(gold, start, to)], euro);
        expect(item.price_timeseries_30d[position].quote_currency).toBe("EUR");
      }
      expect(item.quote_rate).toBe(item.price_timeseries_30d[30].quote_rate);
      expect(item.pretty_quote_rate).toMatch(/^€[\d,]+\.\d\d$/);
    });
  });

  describe("the summary of an exchange", () => {
    it("is as of the last closed hour, values days at their closing prices, and covers pools with known values", async () => {
      const end = closedEnd();
      const [item] = (await api.get("week/xy=k/swap/ecosystem/")).items;
      const sumOf = (values: readonly (bigint | null)[]) => {
        const known = values.filter((value) => value !== null);
        return known.length === 0 ? null : total(known);
      };
      const volumeOfAll = (from: number, to: number): bigint | null =>
        swapsOf(pairs, from, to).length === 0
          ? 0n
          : sumOf(pairs.filter((pair) => swapsOf([pair], from, to).length > 0).map((pair) => poolVolume(pair, from, to)));
      expect(item.total_swaps_24h).toBe(swapsOf(pairs, end - secondsPerDay, end).length);
      expect(item.total_active_pairs_7d).toBe(activePools(end).length);
      expect(item.total_fees_24h).toBe(feesOf(volumeOfAll(end - secondsPerDay, end)));
      const valued = midnights(end, 31).filter((start) => start >= firstDay);
      expect(valued).toHaveLength(10);
      for (const [position, start] of midnights(end, 31).entries()) {
        const to = Math.min(start + secondsPerDay, end);
        const [volumePoint, liquidityPoint] = [item.volume_chart_30d[position], item.liquidity_chart_30d[position]];
        expect([volumePoint.dt, volumePoint.swap_count_24]).toEqual([
          new Date(start * 1000).toISOString().replace(".000Z", "Z"),
          swapsOf(pairs, start, to).length,
        ]);
        if (start < firstDay) expect([volumePoint.volume_quote, liquidityPoint.liquidity_quote]).toEqual([null, null]);
        else {
          expect(volumePoint.volume_quote, dateOf(start)).toBe(toDollars(volumeOfAll(start, to)));
          const values: (bigint | null)[] = [];
          for (const pair of pairs) values.push(await poolLiquidity(pair, heightBefore(to), hourOf(to)));
          expect(liquidityPoint.liquidity_quote).toBe(toDollars(sumOf(values)));
        }
      }
      expect([item.volume_chart_7d, item.liquidity_chart_7d]).toEqual([
        item.volume_chart_30d.slice(-8),
        item.liquidity_chart_30d.slice(-8),
      ]);
    });

    it("has only swap counts for days that are not rolled up", async () => {
      const day = Math.floor(firstDay / secondsPerDay) + 6;
      const [before] = (await api.get("week/xy=k/swap/ecosystem/")).items;
      await testDatabase.database.query("DELETE FROM exchange_hours WHERE hour = $1", [day * 24 + 23]);
      const [item] = (await api.get("week/xy=k/swap/ecosystem/")).items;
      const position = before.volume_chart_30d.findIndex((point: ResponseData) => point.dt.startsWith(dateOf(day * secondsPerDay)));
      expect(before.volume_chart_30d[position].swap_count_24).toBeGreaterThan(0);
      expect(item.volume_chart_30d[position]).toEqual({
        ...before.volume_chart_30d[position],
        volume_quote: null,
        pretty_volume_quote: null,
      });
      expect(await rollUp(testDatabase.database, [exchange.factory])).toBe(1);
      expect((await api.get("week/xy=k/swap/ecosystem/")).items).toEqual([before]);
    });
  });
};
