import { describe, expect, test } from "vitest";
import { expectNear } from "../support/expect-near.ts";
import {
  actionsOf,
  blockTimes,
  type ExchangeName,
  exchanges,
  feedOf,
  poolsOf,
  reservesByTime,
  type StoryAction,
  type StoryPool,
  secondsPerDay,
  swapsWithin,
  toWholeTokens,
  volumeOf,
} from "../support/story-exchanges.ts";
import { storyValue } from "../support/story-node.ts";
import { readStoryPrices, valueAt } from "../support/story-prices.ts";
import { allPages, chain, dataOf, useNpmClient } from "./npm-client.ts";

const { XykService: service } = await useNpmClient();
const times = await blockTimes();
const head = times.at(-1) ?? 0;
/** Ranked lists and charts are as of the last complete hour before the newest block. */
const closedHour = Math.floor(head / 3600) * 3600;
/** The start of the daily series, which cover 31 days including the current one. */
const firstDay = (Math.floor(head / secondsPerDay) - 30) * secondsPerDay;
const startsOfDays = Array.from({ length: 31 }, (_, day) => firstDay + day * secondsPerDay);

/** 0 if the token is the pair's token0, 1 if it is token1. */
const sideOf = ({ token0 }: StoryPool, token: string): 0 | 1 => (token0 === token ? 0 : 1);

/** An exchange's pairs with a token, each with its actions and its reserves by time. */
async function pairsWith(exchange: ExchangeName, token: string) {
  const pools = (await poolsOf(exchange)).filter(({ token0, token1 }) => token0 === token || token1 === token);
  const pairs = pools.map(async (pool) => {
    const [actions, reservesAt] = await Promise.all([actionsOf([pool], times), reservesByTime(pool.pool, times)]);
    return { ...pool, side: sideOf(pool, token), actions, reservesAt };
  });
  return Promise.all(pairs);
}
type Pairs = Awaited<ReturnType<typeof pairsWith>>;

const swapsOf = (pairs: Pairs, end: number): StoryAction[] => pairs.flatMap(({ actions }) => swapsWithin(actions, end, 1));
/** The token's reserves in the pairs at a time. */
const reserveAt = (pairs: Pairs, end: number): bigint => pairs.reduce((sum, { side, reservesAt }) => sum + reservesAt(end)[side], 0n);
/** The token's volume in the 24 hours before a time. */
const volumeBefore = (pairs: Pairs, end: number): bigint =>
  pairs.reduce((sum, { side, actions }) => {
    const swaps = swapsWithin(actions, end, 1);
    return sum + volumeOf(swaps, "amountsIn", side) + volumeOf(swaps, "amountsOut", side);
  }, 0n);

describe("the npm client's XykService for exchange tokens", () => {
  test.each(exchanges)("getNetworkExchangeTokens iterates over all tokens on %s in order of value, each once", async (exchange) => {
    const { items, total, pages } = await allPages((pageNumber) =>
      service.getNetworkExchangeTokens(chain, exchange, { pageSize: 2, pageNumber }),
    );
    const tokens = new Set((await poolsOf(exchange)).flatMap(({ token0, token1 }) => [token0, token1]));
    expect(items.map(({ contract_address: token }) => token).sort()).toEqual([...tokens].sort());
    expect([total, pages]).toEqual([tokens.size, Math.ceil(tokens.size / 2)]);
    const values = items.map(({ total_liquidity_quote: value }) => value ?? -1);
    expect(values).toEqual([...values].sort((a, b) => b - a));
    for (const item of items) {
      const pairs = await pairsWith(exchange, item.contract_address);
      expect(BigInt(item.total_liquidity)).toBe(reserveAt(pairs, closedHour));
      expect(BigInt(item.total_volume_24h)).toBe(volumeBefore(pairs, closedHour));
      expect(item.swap_count_24h).toBe(swapsOf(pairs, closedHour).length);
      if (item.contract_address === storyValue("bytes32Token")) {
        // Its only pool is below the liquidity floor.
        expect([item.quote_rate, item.quote_rate_24h, item.total_liquidity_quote, item.total_volume_24h_quote]).toEqual(
          Array(4).fill(null),
        );
        continue;
      }
      expectNear(item.total_liquidity_quote, toWholeTokens(item.total_liquidity, item.contract_decimals) * item.quote_rate);
      expectNear(item.total_volume_24h_quote, toWholeTokens(item.total_volume_24h, item.contract_decimals) * item.quote_rate);
      expect(item.quote_rate_24h).toBeGreaterThan(0);
    }
    const weth = await feedOf("etherFeed", times);
    const native = items.find(({ contract_address: token }) => token === storyValue("wrappedNative"));
    expect([native?.quote_rate, native?.quote_rate_24h]).toEqual([weth(closedHour), weth(closedHour - secondsPerDay)]);
  });

  test("getSingleNetworkExchangeToken returns pages of a token's pools with their daily swaps", async () => {
    const dollar = storyValue("usdToken");
    const { items, total } = await allPages((pageNumber) =>
      service.getSingleNetworkExchangeToken(chain, "demo_swap", dollar, { pageSize: 2, pageNumber }),
    );
    const pairs = await pairsWith("demo_swap", dollar);
    expect(items.map(({ exchange }) => exchange)).toEqual(pairs.map(({ pool }) => pool).sort());
    expect([total, items.length]).toEqual([pairs.length, 4]);
    for (const { exchange, volume_timeseries_30d: days, volume_timeseries_7d: week } of items) {
      const actions = pairs.find(({ pool }) => pool === exchange)?.actions ?? [];
      expect(days.map(({ dt, swap_count_24: swaps }) => [dt.getTime() / 1000, swaps])).toEqual(
        startsOfDays.map((start) => [start, swapsWithin(actions, start + secondsPerDay, 1).length]),
      );
      expect(week).toEqual(days.slice(-8));
    }
    expect(items.flatMap(({ volume_timeseries_30d: days }) => days).some(({ swap_count_24: swaps }) => swaps === 0)).toBe(true);
  });

  test.each(["wrappedNative", "saltToken"])("getLpTokenView returns %s with daily series, in dollars and euros", async (name) => {
    const token = storyValue(name);
    const pairs = await pairsWith("demo_exchange", token);
    const [dollars, euros] = await Promise.all(
      (["USD", "EUR"] as const).map(async (quoteCurrency) => {
        const { items } = await dataOf(service.getLpTokenView(chain, "demo_exchange", token, { quoteCurrency }));
        expect(items.length).toBe(1);
        return items[0];
      }),
    );
    if (dollars === undefined || euros === undefined) throw new Error("Expected the requested token in both responses.");
    expect(BigInt(dollars.total_liquidity)).toBe(reserveAt(pairs, head + 1));
    expect(BigInt(dollars.total_volume_24h)).toBe(volumeBefore(pairs, head + 1));
    expect(dollars.swap_count_24h).toBe(swapsOf(pairs, head + 1).length);
    expect(dollars.transactions_24h).toBe(new Set(swapsOf(pairs, head + 1).map(({ hash }) => hash)).size);
    expectNear(dollars.total_liquidity_quote, toWholeTokens(dollars.total_liquidity, dollars.contract_decimals) * dollars.quote_rate);
    const [euro, priceOf] = [await feedOf("euroFeed", times), await readStoryPrices()];
    expectNear(euros.quote_rate, dollars.quote_rate / euro(head + 1));
    expectNear(euros.quote_rate_24h, dollars.quote_rate_24h / euro(head + 1 - secondsPerDay));
    expect(dollars.price_timeseries_30d.map(({ dt }) => dt.getTime() / 1000)).toEqual(startsOfDays);
    for (const [day, { dt, quote_rate: rate }] of dollars.price_timeseries_30d.entries()) {
      const end = Math.min(dt.getTime() / 1000 + secondsPerDay, head + 1);
      const [liquidity, volume] = [dollars.liquidity_timeseries_30d[day], dollars.volume_timeseries_30d[day]];
      expect(rate).toBe(valueAt(10n ** BigInt(dollars.contract_decimals), priceOf(token, end - 1, "USD")));
      expect(BigInt(liquidity?.total_liquidity ?? -1)).toBe(reserveAt(pairs, end));
      expect(BigInt(volume?.total_volume ?? -1)).toBe(volumeBefore(pairs, dt.getTime() / 1000 + secondsPerDay));
      expectNear(liquidity?.liquidity_quote, toWholeTokens(reserveAt(pairs, end), dollars.contract_decimals) * rate);
      expectNear(
        volume?.volume_quote,
        toWholeTokens(volumeBefore(pairs, dt.getTime() / 1000 + secondsPerDay), dollars.contract_decimals) * rate,
      );
      expectNear(euros.price_timeseries_30d[day]?.quote_rate, rate / euro(end));
    }
    for (const series of ["price", "liquidity", "volume"] as const)
      expect(dollars[`${series}_timeseries_7d`]).toEqual(dollars[`${series}_timeseries_30d`].slice(-8));
  });
});

describe("the npm client's XykService for an entire exchange", () => {
  test.each(exchanges)("getEcosystemChartData returns the daily series of %s", async (exchange) => {
    const {
      items: [chart],
    } = await dataOf(service.getEcosystemChartData(chain, exchange));
    if (chart === undefined) throw new Error("Expected one chart in the response.");
    const actions = await actionsOf(await poolsOf(exchange), times);
    expect(chart.gas_token_price_quote).toBe((await feedOf("etherFeed", times))(head + 1));
    expect(chart.total_swaps_24h).toBe(swapsWithin(actions, closedHour, 1).length);
    expect(chart.total_active_pairs_7d).toBe(new Set(swapsWithin(actions, closedHour, 7).map(({ pool }) => pool)).size);
    expect(chart.volume_chart_30d.map(({ dt, swap_count_24: swaps }) => [dt.getTime() / 1000, swaps])).toEqual(
      startsOfDays.map((start) => [start, swapsWithin(actions, start + secondsPerDay, 1).length]),
    );
    expect(chart.liquidity_chart_30d.map(({ dt }) => dt.getTime() / 1000)).toEqual(startsOfDays);
    expect([chart.volume_chart_7d, chart.liquidity_chart_7d]).toEqual([
      chart.volume_chart_30d.slice(-8),
      chart.liquidity_chart_30d.slice(-8),
    ]);
    // The sums do not include pools with unknown liquidity.
    const { items: pools } = await dataOf(service.getPools(chain, exchange));
    const volume = pools.reduce((sum, { volume_24h_quote: value }) => sum + value, 0);
    const liquidity = pools.reduce((sum, { total_liquidity_quote: value }) => sum + (value ?? 0), 0);
    expectNear(chart.total_fees_24h, volume * 0.003);
    const last = chart.liquidity_chart_30d.at(-1)?.liquidity_quote;
    // Unlike the list, the chart includes pools without a swap within the week, such as the drained pool with its dust.
    expect(Math.abs((last ?? Number.NaN) - liquidity)).toBeLessThan(0.01);
  });

  test.each(exchanges)("getHealthData returns the indexing status of %s", async (exchange) => {
    const { items } = await dataOf(service.getHealthData(chain, exchange));
    const block = { height: times.length - 1, at: new Date(head * 1000) };
    expect(items).toEqual([
      {
        synced_block_height: block.height,
        synced_block_signed_at: block.at,
        latest_block_height: block.height,
        latest_block_signed_at: block.at,
      },
    ]);
    expect(await service.getHealthData(chain, "no_exchange")).toMatchObject({ data: null, error: true, error_code: 404 });
  });
});
