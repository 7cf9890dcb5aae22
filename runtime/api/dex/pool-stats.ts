import type { Chain, Currency } from "../../../generated/requests.gen.ts";
import { priceTimesOfWeek } from "../../domains/dex/queries/spans.ts";
import { liquidityValue, type PairRates, volumeOfSpans, volumeValue } from "../../domains/dex/queries/valuation.ts";
import type { PoolRow } from "../../domains/pools/queries/pool.ts";
import { emptyPoolState, type PoolState } from "../../domains/pools/queries/state.ts";
import type { Rate } from "../../domains/prices/queries/rates.ts";
import type { TokenMetadata } from "../../domains/tokens/queries/metadata.ts";
import type { Decimal } from "../../lib/decimal.ts";
import type { Address } from "../../lib/hex.ts";
import type { ResolverContext } from "../context.ts";
import type { Snapshot } from "./snapshots.ts";

/** A pool's values at a snapshot; null if unknown. */
export interface PoolValues {
  readonly liquidity: Decimal | null;
  /** In the last 24 hours. */
  readonly volume: Decimal | null;
  /** In the last seven days. */
  readonly weekVolume: Decimal | null;
}

/** A pool at a snapshot, a day earlier and a week earlier, with its values. */
export interface PoolStats extends PoolValues {
  readonly pool: PoolRow;
  readonly now: PoolState;
  readonly dayBefore: PoolState;
  readonly weekBefore: PoolState;
  /** The value of one smallest unit of each of its two tokens. */
  readonly rates: PairRates;
  /** The value of one smallest unit of the LP token. */
  readonly poolRate: Rate;
}

/** Pool stats, with metadata of the pools' tokens and LP tokens. */
export interface PoolStatsWithMetadata {
  readonly stats: readonly PoolStats[];
  readonly metadata: ReadonlyMap<Address, TokenMetadata>;
  readonly currency: Currency;
}

const addressesOf = (pools: readonly PoolRow[]): Address[] => pools.map(({ pool }) => pool);
const tokensOf = (pools: readonly PoolRow[]): Address[] => pools.flatMap(({ token0, token1 }) => [token0, token1]);

/** Metadata and rates for pools at a snapshot. */
const metadataAndRates = async (
  context: ResolverContext,
  chain: Chain,
  pools: readonly PoolRow[],
  { end }: Snapshot,
  currency: Currency,
) => {
  const assets = [...addressesOf(pools), ...tokensOf(pools)];
  const [metadata, rate] = await Promise.all([
    context.tokens.metadata(chain.id, assets),
    context.prices.ratesAt(chain.id, currency, assets, end - 1),
  ]);
  return { metadata, rate };
};

/** Pool stats at a snapshot, computed from pool states and the prices at each day's end. */
export async function readPoolStats(
  context: ResolverContext,
  chain: Chain,
  pools: readonly PoolRow[],
  snapshot: Snapshot,
  currency: Currency,
): Promise<PoolStatsWithMetadata> {
  const times = priceTimesOfWeek(snapshot.end);
  const [{ metadata, rate }, statesOf, rateAt] = await Promise.all([
    metadataAndRates(context, chain, pools, snapshot, currency),
    context.pools.statesAt(chain.id, addressesOf(pools), snapshot.weekBlocks),
    context.prices.ratesAtEachTime(chain.id, currency, tokensOf(pools), times),
  ]);
  const stats = pools.map((pool): PoolStats => {
    const states = statesOf(pool.pool);
    const [now = emptyPoolState, dayBefore = emptyPoolState] = states;
    const rates = times.map((time): PairRates => [rateAt(pool.token0, time), rateAt(pool.token1, time)]);
    const [pair = [null, null]] = rates;
    return {
      pool,
      now,
      dayBefore,
      weekBefore: states.at(-1) ?? emptyPoolState,
      liquidity: liquidityValue(now, pair),
      volume: volumeValue(dayBefore, now, pair),
      weekVolume: volumeOfSpans(states, rates),
      rates: pair,
      poolRate: rate(pool.pool),
    };
  });
  return { stats, metadata, currency };
}

/** Pool stats whose US dollar values are read from a roll-up. */
export async function readRankedPoolStats(
  context: ResolverContext,
  chain: Chain,
  pools: readonly (PoolRow & PoolValues)[],
  snapshot: Snapshot,
): Promise<PoolStatsWithMetadata> {
  const [{ metadata, rate }, statesOf] = await Promise.all([
    metadataAndRates(context, chain, pools, snapshot, "USD"),
    context.pools.statesAt(chain.id, addressesOf(pools), [snapshot.lastBlock, snapshot.blockDayBefore, snapshot.weekBlocks.at(-1) ?? null]),
  ]);
  const stats = pools.map(({ liquidity, volume, weekVolume, ...pool }): PoolStats => {
    const [now = emptyPoolState, dayBefore = emptyPoolState, weekBefore = emptyPoolState] = statesOf(pool.pool);
    const rates = [rate(pool.token0), rate(pool.token1)] as const;
    return { pool, now, dayBefore, weekBefore, liquidity, volume, weekVolume, rates, poolRate: rate(pool.pool) };
  });
  return { stats, metadata, currency: "USD" };
}
