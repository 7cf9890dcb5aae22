import { describe, expect, test } from "vitest";
import { expectNear } from "../support/expect-near.ts";
import {
  actionsOf,
  blockTimes,
  decimalsOf,
  exchanges,
  feedOf,
  poolsOf,
  quotedValue,
  reservesByTime,
  reservesOf,
  type StoryAction,
  secondsPerDay,
  supplyOf,
  swapsWithin,
  toWholeTokens,
  volumeOf,
} from "../support/story-exchanges.ts";
import { storyValue } from "../support/story-node.ts";
import { allPages, chain, dataOf, useNpmClient } from "./npm-client.ts";

const { XykService: service } = await useNpmClient();
const times = await blockTimes();
const head = times.at(-1) ?? 0;
/** Ranked lists are as of the last complete hour before the newest block. */
const closedHour = Math.floor(head / 3600) * 3600;
/** Both exchanges charge 0.3 % of the input. */
const fee = 0.003;

describe("the npm client's XykService for pools", () => {
  test.each(exchanges)("getPools iterates over all active pools on %s, each once, with the node's values", async (exchange) => {
    const all = await poolsOf(exchange);
    const { items, total, pages } = await allPages((pageNumber) => service.getPools(chain, exchange, { pageSize: 2, pageNumber }));
    expect(pages).toBe(Math.ceil(items.length / 2));
    expect(items.length).toBe(total);
    const actions = new Map(await Promise.all(all.map(async (pool) => [pool.pool, await actionsOf([pool], times)] as const)));
    const active = all.filter(({ pool }) => swapsWithin(actions.get(pool) ?? [], closedHour, 7).length > 0);
    expect(items.map(({ exchange: pool }) => pool).sort()).toEqual(active.map(({ pool }) => pool).sort());
    const values = items.map(({ total_liquidity_quote: value }) => value ?? -1);
    expect(values).toEqual([...values].sort((a, b) => b - a));
    for (const item of items) {
      const swapsOf = (days: number): StoryAction[] => swapsWithin(actions.get(item.exchange) ?? [], closedHour, days);
      const sides = [item.token_0, item.token_1] as const;
      expect(sides.map(({ contract_address: token }) => token)).toEqual(
        all.filter(({ pool }) => pool === item.exchange).flatMap(({ token0, token1 }) => [token0, token1]),
      );
      expect(item.swap_count_24h).toBe(swapsOf(1).length);
      expect(item.total_supply).toBe(await supplyOf(item.exchange));
      const reserves = await reservesOf(item.exchange);
      for (const side of [0, 1] as const) {
        const { reserve, volume_in_24h, volume_out_24h, volume_in_7d, volume_out_7d, ...token } = sides[side];
        expect([reserve, volume_in_24h, volume_out_24h, volume_in_7d, volume_out_7d].map(BigInt)).toEqual([
          reserves[side],
          ...([1, 7] as const).flatMap((days) => [volumeOf(swapsOf(days), "amountsIn", side), volumeOf(swapsOf(days), "amountsOut", side)]),
        ]);
        expect(token.contract_decimals).toBe(await decimalsOf(token.contract_address));
      }
      if (item.exchange === storyValue("washPair")) {
        // The wash traders' token has no price, because its pool is below the liquidity floor; the dollar side of their trades is known.
        const dollar = sides[0].contract_address === storyValue("usdToken") ? 0 : 1;
        const moved = (days: number): number =>
          toWholeTokens(volumeOf(swapsOf(days), "amountsIn", dollar) + volumeOf(swapsOf(days), "amountsOut", dollar), 6);
        expect([item.total_liquidity_quote, item.quote_rate, item.annualized_fee, sides[1 - dollar]?.quote_rate]).toEqual([
          null,
          null,
          null,
          null,
        ]);
        expect([item.volume_24h_quote, item.volume_7d_quote]).toEqual([moved(1), moved(7)]);
        continue;
      }
      const volume = quotedValue(sides, [volumeOf(swapsOf(1), "amountsIn", 0), volumeOf(swapsOf(1), "amountsIn", 1)]);
      const liquidity = quotedValue(sides, reserves);
      expectNear(item.total_liquidity_quote, liquidity);
      expectNear(item.volume_24h_quote, volume);
      expectNear(item.fee_24h_quote, volume * fee);
      expectNear(item.annualized_fee, (volume * fee * 365) / liquidity);
      // The fair price of an LP token with 18 decimals: 2·sqrt(value0·value1)/supply.
      const [first, second] = [quotedValue(sides, [reserves[0], 0n]), quotedValue(sides, [0n, reserves[1]])];
      expectNear(item.quote_rate, (2 * Math.sqrt(first * second)) / toWholeTokens(await supplyOf(item.exchange), 18));
    }
  });

  test("getPools returns the pools as of the end of a day", async () => {
    const end = Date.parse(storyValue("swapDay")) / 1000 + secondsPerDay;
    const { items } = await dataOf(service.getPools(chain, "demo_exchange", { date: storyValue("swapDay") }));
    expect(items.length).toBeGreaterThan(0);
    const all = await poolsOf("demo_exchange");
    for (const { exchange, token_0: first, token_1: second, swap_count_24h: swaps } of items) {
      const [actions, reservesAt] = await Promise.all([
        actionsOf(
          all.filter(({ pool }) => pool === exchange),
          times,
        ),
        reservesByTime(exchange, times),
      ]);
      const reserves = reservesAt(end);
      expect([BigInt(first.reserve), BigInt(second.reserve)]).toEqual(reserves);
      expect(swaps).toBe(swapsWithin(actions, end, 1).length);
      expect(reserves).not.toEqual(await reservesOf(exchange));
    }
  });

  test("getPools returns prices from the feed and from the deepest pool", async () => {
    const { items } = await dataOf(service.getPools(chain, "demo_exchange"));
    const rates = new Map(
      items.flatMap(({ token_0: a, token_1: b }) => [a, b]).map(({ contract_address: token, quote_rate: rate }) => [token, rate]),
    );
    expect(rates.get(storyValue("usdToken"))).toBe(1);
    expect(rates.get(storyValue("wrappedNative"))).toBe((await feedOf("etherFeed", times))(closedHour));
    // Gold's deepest pool is the one with dollars; it had no trades in the last 15 minutes.
    const {
      items: [pair],
    } = await dataOf(service.getPoolByAddress(chain, "demo_exchange", storyValue("goldPair")));
    const [reserve0, reserve1] = await reservesOf(storyValue("goldPair"));
    const [dollars, gold] = pair?.token_0.contract_address === storyValue("usdToken") ? [reserve0, reserve1] : [reserve1, reserve0];
    expectNear(rates.get(storyValue("goldToken")), toWholeTokens(dollars, 6) / toWholeTokens(gold, 18));
  });

  test("getPoolByAddress returns a pool with its daily series, including days without trades", async () => {
    const weth = await feedOf("etherFeed", times);
    const today = Math.floor(head / secondsPerDay);
    const daysWithoutSwaps: number[] = [];
    for (const [exchange, name] of [
      ["demo_exchange", "dollarPair"],
      ["demo_swap", "saffronPair"],
    ] as const) {
      const { items, pagination } = await dataOf(service.getPoolByAddress(chain, exchange, storyValue(name)));
      expect([items.length, pagination]).toEqual([1, null]);
      const [item] = items;
      const reservesAt = await reservesByTime(storyValue(name), times);
      const actions = await actionsOf(
        (await poolsOf(exchange)).filter(({ pool }) => pool === storyValue(name)),
        times,
      );
      if (item === undefined) throw new Error("Expected the requested pool in the response.");
      expect([item.volume_timeseries_7d, item.liquidity_timeseries_7d, item.price_timeseries_7d]).toEqual([
        item.volume_timeseries_30d.slice(-8),
        item.liquidity_timeseries_30d.slice(-8),
        item.price_timeseries_30d.slice(-8),
      ]);
      for (const series of [item.volume_timeseries_30d, item.liquidity_timeseries_30d, item.price_timeseries_30d])
        expect(series.map(({ dt }) => dt.getTime() / 1000)).toEqual(
          Array.from({ length: 31 }, (_, day) => (today - 30 + day) * secondsPerDay),
        );
      const ether = item.token_0.contract_address === storyValue("wrappedNative") ? 0 : 1;
      const sides = [item.token_0, item.token_1] as const;
      for (const [day, volume] of item.volume_timeseries_30d.entries()) {
        const [liquidity, price] = [item.liquidity_timeseries_30d[day], item.price_timeseries_30d[day]];
        const end = volume.dt.getTime() / 1000 + secondsPerDay;
        const swaps = swapsWithin(actions, end, 1);
        if (swaps.length === 0) daysWithoutSwaps.push(day);
        const reserves = reservesAt(end);
        const rates = [volume.token_0_quote_rate, volume.token_1_quote_rate] as const;
        const valued = [
          { ...sides[0], quote_rate: rates[0] },
          { ...sides[1], quote_rate: rates[1] },
        ] as const;
        expect(rates[ether]).toBe(weth(Math.min(end, head + 1)));
        expect(volume.swap_count_24).toBe(swaps.length);
        expect([volume.sum_amount0in, volume.sum_amount1in, volume.sum_amount0out, volume.sum_amount1out].map(BigInt)).toEqual([
          volumeOf(swaps, "amountsIn", 0),
          volumeOf(swaps, "amountsIn", 1),
          volumeOf(swaps, "amountsOut", 0),
          volumeOf(swaps, "amountsOut", 1),
        ]);
        expectNear(volume.volume_quote, quotedValue(valued, [volumeOf(swaps, "amountsIn", 0), volumeOf(swaps, "amountsIn", 1)]));
        expect([liquidity?.r0_c, liquidity?.r1_c].map((reserve) => BigInt(reserve ?? -1))).toEqual(reserves);
        expectNear(liquidity?.liquidity_quote, quotedValue(valued, reserves));
        const [first, second] = [
          toWholeTokens(reserves[0], sides[0].contract_decimals),
          toWholeTokens(reserves[1], sides[1].contract_decimals),
        ];
        expectNear(price?.price_of_token0_in_token1, second / first);
        expectNear(price?.price_of_token1_in_token0, first / second);
        expect([price?.price_of_token0_in_quote_currency, price?.price_of_token1_in_quote_currency]).toEqual(rates);
      }
      expectNear(item.token_0_reserve_quote, quotedValue(sides, [(await reservesOf(storyValue(name)))[0], 0n]));
      expectNear(item.token_1_reserve_quote, quotedValue(sides, [0n, (await reservesOf(storyValue(name)))[1]]));
    }
    expect(daysWithoutSwaps.length).toBeGreaterThan(0);
  });
});
