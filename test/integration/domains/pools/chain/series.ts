import { describe, expect, it } from "vitest";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { type ResponseData, servePools } from "../serve-pools.ts";
import {
  allPages,
  api,
  exchange,
  headTime,
  pairs,
  reservesAt,
  secondsPerDay,
  sum,
  swapsOf,
  testDatabase,
  times,
  tokens,
  tokensOf,
  toll,
} from "./setup.ts";

/** The last `count` UTC midnights up to the head's day, oldest first. */
const midnights = (count: number): number[] =>
  Array.from({ length: count }, (_, position) => (Math.floor(headTime() / secondsPerDay) - count + 1 + position) * secondsPerDay);

/** Tests of the daily series of pools and an exchange's tokens. */
export const describeSeries = (): void => {
  describe("the series of a pool", () => {
    it("cover 8 and 31 days, including days without trades, and match the chain's volumes and reserves", async () => {
      for (const pair of pairs) {
        const { items } = await api.get(`week/xy=k/swap/pools/address/${pair}/`);
        const [item] = items;
        expect(items).toHaveLength(1);
        const days = midnights(31);
        const expected = days.map((start) => {
          const swaps = swapsOf([pair], start, start + secondsPerDay);
          return [
            new Date(start * 1000).toISOString().replace(".000Z", "Z"),
            swaps.length,
            sum(swaps, "amount0In"),
            sum(swaps, "amount0Out"),
            sum(swaps, "amount1In"),
            sum(swaps, "amount1Out"),
          ];
        });
        const actual = item.volume_timeseries_30d.map((point: ResponseData) => [
          point.dt,
          point.swap_count_24,
          point.sum_amount0in,
          point.sum_amount0out,
          point.sum_amount1in,
          point.sum_amount1out,
        ]);
        expect(actual).toEqual(expected);
        for (const [name, month] of Object.entries(item).filter(([key]) => key.endsWith("_30d")) as [string, ResponseData[]][]) {
          expect(item[name.replace("_30d", "_7d")], name).toEqual(month.slice(-8));
        }
        for (const [position, start] of days.entries()) {
          const reserves = await reservesAt(pair, times.filter((time) => time < start + secondsPerDay).length - 1);
          const { r0_c: first, r1_c: second, dt } = item.liquidity_timeseries_30d[position];
          expect([first, second], `${pair} ${dt}`).toEqual(reserves.map(String));
          // Both tokens have 18 decimals.
          const price = reserves[0] === 0n ? -1 : Number(reserves[1]) / Number(reserves[0]);
          expect(item.price_timeseries_30d[position].price_of_token0_in_token1 ?? -1).toBeCloseTo(price, 9);
        }
        expect(item.swap_count_24h).toBe(swapsOf([pair], headTime() + 1 - secondsPerDay, headTime() + 1).length);
      }
    });

    it("are refused for more pools than a response can hold", async () => {
      // 62 rows are the 31 days of two pools; the first token has three pools.
      const limitedApi = await servePools(testDatabase.database, [{ name: "swap", factory: exchange.factory }], undefined, {
        responseRows: 62,
      });
      const path = `week/xy=k/swap/tokens/address/${tokens[0]}/`;
      expect((await limitedApi.request(`${path}?page-size=3`)).message).toContain(
        "Invalid value 3 for page-size: expected at most 2 pools",
      );
      expect((await limitedApi.get(`${path}?page-size=2`)).items).toHaveLength(2);
      expect((await limitedApi.get(`${path}?page-size=100&page-number=1`)).items).toHaveLength(0);
      await limitedApi.end();
    });

    it("are the same in the list of a token's pools", async () => {
      const items = await allPages(`week/xy=k/swap/tokens/address/${tokens[0]}/`, 2);
      expect(items.map((item) => item.exchange)).toEqual([pairs[0], pairs[2], pairs[3]].sort());
      for (const item of items) expect(item).toEqual((await api.get(`week/xy=k/swap/pools/address/${item.exchange}/`)).items[0]);
    });
  });

  describe("the tokens of an exchange", () => {
    /** A token's volume and swap count in its pools. */
    const volumeOf = async (token: Address, from: number, to: number) => {
      let [volume, swaps] = [0n, 0];
      const transactions = new Set<string>();
      for (const pair of pairs) {
        const side = (await tokensOf(pair)).indexOf(token);
        if (side < 0) continue;
        const pairSwaps = swapsOf([pair], from, to);
        volume += BigInt(sum(pairSwaps, `amount${side}In`)) + BigInt(sum(pairSwaps, `amount${side}Out`));
        swaps += pairSwaps.length;
        for (const { transaction } of pairSwaps) transactions.add(transaction);
      }
      return { volume: String(volume), swaps, transactions: transactions.size };
    };
    const reserveOf = async (token: Address, height: number): Promise<string> => {
      let total = 0n;
      for (const pair of pairs) {
        const side = (await tokensOf(pair)).indexOf(token);
        total += (await reservesAt(pair, height))[side] ?? 0n;
      }
      return String(total);
    };

    it("are listed by address with their volumes and reserves", async () => {
      const end = Math.floor(headTime() / 3_600) * 3_600;
      const items = await allPages("week/xy=k/swap/tokens/", 3);
      expect(items.map((item) => item.contract_address)).toEqual([...tokens, toll].sort());
      for (const item of items) {
        const traded = await volumeOf(item.contract_address, end - secondsPerDay, end);
        expect([item.total_volume_24h, item.swap_count_24h]).toEqual([traded.volume, traded.swaps]);
        expect(item.total_liquidity).toBe(await reserveOf(item.contract_address, times.filter((time) => time < end).length - 1));
      }
    });

    it("have 31-day series", async () => {
      for (const token of [...tokens, toll]) {
        const [item] = (await api.get(`week/xy=k/swap/tokens/address/${token}/view/`)).items;
        const traded = await volumeOf(token, headTime() + 1 - secondsPerDay, headTime() + 1);
        expect([item.total_volume_24h, item.swap_count_24h, item.transactions_24h]).toEqual([
          traded.volume,
          traded.swaps,
          traded.transactions,
        ]);
        expect(item.volume_timeseries_7d).toEqual(item.volume_timeseries_30d.slice(-8));
        for (const [position, start] of midnights(31).entries()) {
          expect(item.volume_timeseries_30d[position].total_volume).toBe((await volumeOf(token, start, start + secondsPerDay)).volume);
          const height = times.filter((time) => time < start + secondsPerDay).length - 1;
          expect(item.liquidity_timeseries_30d[position].total_liquidity).toBe(await reserveOf(token, height));
        }
      }
    });

    it("add up to the exchange's daily values", async () => {
      const [item] = (await api.get("week/xy=k/swap/ecosystem/")).items;
      expect(item.total_swaps_24h).toBe(swapsOf(pairs, headTime() + 1 - secondsPerDay, headTime() + 1).length);
      expect(item.total_active_pairs_7d).toBe(
        new Set(swapsOf(pairs, headTime() + 1 - 7 * secondsPerDay, headTime() + 1).map(({ address }) => address)).size,
      );
      expect(item.volume_chart_30d.map((point: ResponseData) => point.swap_count_24)).toEqual(
        midnights(31).map((start) => swapsOf(pairs, start, start + secondsPerDay).length),
      );
      expect(item.volume_chart_7d).toEqual(item.volume_chart_30d.slice(-8));
      expect(item.liquidity_chart_7d).toHaveLength(8);
    });
  });
};
