import type { Chain } from "../../../generated/requests.gen.ts";
import type { ExchangeHour } from "../../domains/dex/queries/exchange-hours.ts";
import { dayOf } from "../../domains/dex/queries/spans.ts";
import { type Decimal, parseDecimal } from "../../lib/decimal.ts";
import type { Address } from "../../lib/hex.ts";
import { secondsPerDay } from "../../lib/time.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers, ResolverContext } from "../context.ts";
import { requireExchange } from "./exchanges.ts";
import { type PoolStatsWithMetadata, readPoolStats, readRankedPoolStats } from "./pool-stats.ts";
import { type RankedSnapshot, rankedSnapshot } from "./snapshots.ts";
import { viewPool } from "./view-pool.ts";

interface Page {
  readonly number: number;
  readonly size: number;
}

/**
 * An exchange's pools with a swap in the configured number of days up to the last closed hour, or up to the end of a past day, by descending liquidity; by
 * address if that hour has no roll-up. @throws {RequestError} 404 if the exchange is unknown, 400 if the day is not indexed.
 */
export const getPools: Handlers["getPools"] = async ({ chain, dexName, date, page }, context) => {
  const exchange = requireExchange(context, chain, dexName);
  const snapshot = await rankedSnapshot(context, chain, exchange.factory, date);
  const { total, ...all } = await pageOf(context, chain, exchange.factory, snapshot, page);
  return {
    ...chainFields(chain, context.contentTime()),
    items: all.stats.map((stats) => ({ ...viewPool(context, chain, exchange, stats, all), chain_name: chain.name })),
    pagination: {
      has_more: (page.number + 1) * page.size < total,
      page_number: page.number,
      page_size: page.size,
      total_count: total,
    },
  };
};

type PoolStatsPage = PoolStatsWithMetadata & { readonly total: number };

const pageOf = async (
  context: ResolverContext,
  chain: Chain,
  factory: Address,
  snapshot: RankedSnapshot | null,
  page: Page,
): Promise<PoolStatsPage> => {
  if (snapshot === null || snapshot.lastBlock === null) return { stats: [], metadata: new Map(), currency: "USD", total: 0 };
  const { lastBlock, rollUp } = snapshot;
  return rollUp === null
    ? pageByAddress(context, chain, factory, { ...snapshot, lastBlock }, page)
    : rankedPage(context, chain, factory, snapshot, rollUp, page);
};

const decimalOrNull = (digits: string | null): Decimal | null => (digits === null ? null : parseDecimal(digits));

/** A page from the hour's roll-up. */
const rankedPage = async (
  context: ResolverContext,
  chain: Chain,
  factory: Address,
  snapshot: RankedSnapshot,
  { hour, pools: total }: ExchangeHour,
  { number, size }: Page,
): Promise<PoolStatsPage> => {
  const rows = await context.rollUps.rankedPools(chain.id, factory, hour, number * size, size);
  const shown = rows.map(({ liquidity, volume, week_volume: week, ...pool }) => ({
    ...pool,
    liquidity: decimalOrNull(liquidity),
    volume: decimalOrNull(volume),
    weekVolume: decimalOrNull(week),
  }));
  return { ...(await readRankedPoolStats(context, chain, shown, snapshot)), total };
};

/** A page computed from all active pools. */
const pageByAddress = async (
  context: ResolverContext,
  chain: Chain,
  factory: Address,
  snapshot: RankedSnapshot & { readonly lastBlock: number },
  { number, size }: Page,
): Promise<PoolStatsPage> => {
  const { lastBlock, end } = snapshot;
  const since = end - context.chains.get(chain.id).activePoolDays * secondsPerDay;
  const [key, [sinceBlock = null]] = await Promise.all([
    context.pools.exchangeKey(chain.id, factory, lastBlock),
    context.tokens.heightsBefore(chain.id, [since]),
  ]);
  const { pools: shown, total } = await context.pools.activePools(
    chain.id,
    key,
    { block: sinceBlock, day: dayOf(since) },
    { block: lastBlock, day: dayOf(end) },
    size,
    number * size,
  );
  const pools = await context.pools.poolsAt(chain.id, [factory], shown, lastBlock);
  return { ...(await readPoolStats(context, chain, pools, snapshot, "USD")), total };
};
