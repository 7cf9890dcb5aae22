import type { Chain } from "../../../generated/requests.gen.ts";
import type { PoolWithTimeseries } from "../../../generated/responses.gen.ts";
import type { ExchangeConfig } from "../../config/exchanges.ts";
import { dayOf } from "../../domains/dex/queries/spans.ts";
import type { PoolRow } from "../../domains/pools/queries/pool.ts";
import { emptyPoolState } from "../../domains/pools/queries/state.ts";
import { isoTimestamp } from "../../lib/time.ts";
import { mapInTurns } from "../../lib/turns.ts";
import { addressExplorers } from "../chains/view-chain.ts";
import type { ResolverContext } from "../context.ts";
import { valueAtRate, viewNumber } from "../prices/view-quotes.ts";
import { readPoolStats } from "./pool-stats.ts";
import { daysOfMonth, pointsOfWeek, type Snapshot } from "./snapshots.ts";
import { viewPool } from "./view-pool.ts";
import { createPairPrices, viewPoolDay } from "./view-pool-day.ts";

/** Pools with their daily series for a month, oldest first; the last day ends with the snapshot, and days without trades have points too. */
export async function viewPoolSeries(
  context: ResolverContext,
  chain: Chain,
  exchange: ExchangeConfig,
  pools: readonly PoolRow[],
  snapshot: Snapshot,
): Promise<PoolWithTimeseries[]> {
  const days = await daysOfMonth(context, chain, snapshot);
  const [all, states, rateOf] = await Promise.all([
    readPoolStats(context, chain, pools, snapshot, "USD"),
    context.pools.statesAt(
      chain.id,
      pools.map(({ pool }) => pool),
      days.heights,
    ),
    context.prices.ratesOfDays(
      chain.id,
      "USD",
      [...new Set(pools.flatMap(({ token0, token1 }) => [token0, token1]))],
      days.starts.map(dayOf),
    ),
  ]);
  const dates = days.starts.map((start) => ({ dt: isoTimestamp(start), day: dayOf(start) }));
  return mapInTurns(all.stats, (stats) => {
    const { pool, now, rates } = stats;
    const common = { dex_name: exchange.name, chain_id: String(chain.id), exchange: pool.pool };
    const ends = states(pool.pool);
    const tokens = [all.metadata.get(pool.token0), all.metadata.get(pool.token1)] as const;
    const pricesOf = createPairPrices(tokens);
    const points = dates.map(({ dt, day }, position) => {
      const after = ends[position + 1] ?? emptyPoolState;
      return viewPoolDay({
        common: { ...common, dt },
        before: ends[position] ?? emptyPoolState,
        after,
        rates: [rateOf(pool.token0, day), rateOf(pool.token1, day)],
        tokens,
        prices: pricesOf(after),
      });
    });
    const [volumes, liquidity, prices] = [
      points.map(({ volume }) => volume),
      points.map(({ reserves }) => reserves),
      points.map(({ price }) => price),
    ];
    return {
      ...viewPool(context, chain, exchange, stats, all),
      explorers: addressExplorers(context.chains.get(chain.id), pool.pool),
      token_0_reserve_quote: viewNumber(valueAtRate(now.reserve0, rates[0])),
      token_1_reserve_quote: viewNumber(valueAtRate(now.reserve1, rates[1])),
      volume_timeseries_7d: volumes.slice(-pointsOfWeek),
      volume_timeseries_30d: volumes,
      liquidity_timeseries_7d: liquidity.slice(-pointsOfWeek),
      liquidity_timeseries_30d: liquidity,
      price_timeseries_7d: prices.slice(-pointsOfWeek),
      price_timeseries_30d: prices,
    };
  });
}
