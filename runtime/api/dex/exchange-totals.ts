import type { Chain } from "../../../generated/requests.gen.ts";
import type { ExchangeHour } from "../../domains/dex/queries/exchange-hours.ts";
import { dayOf } from "../../domains/dex/queries/spans.ts";
import type { Address } from "../../lib/hex.ts";
import { secondsPerDay } from "../../lib/time.ts";
import type { ResolverContext } from "../context.ts";
import { daysOfMonth, rankedSnapshot, type Snapshot, snapshotAtAnchor, startsOfDays } from "./snapshots.ts";

/** An exchange's totals for one day. Values are US dollars as decimal digits, null if unknown. */
export interface ExchangeDay {
  /** The start of the day (unix seconds). */
  readonly start: number;
  readonly swapCount: number;
  readonly volume: string | null;
  readonly liquidity: string | null;
}

/** An exchange's totals. */
export interface ExchangeTotals {
  /** In the last 24 hours. */
  readonly swapCount: number;
  readonly volume: string | null;
  /** Pools with a swap in the last seven days. */
  readonly activePoolCount: number;
  /** The last month, day by day, oldest first. */
  readonly days: readonly ExchangeDay[];
}

/**
 * An exchange's totals as of the last rolled-up hour; null before the first block. Without a roll-up they are as of the anchor, with the number of swaps
 * but without values, which are only computed in the background. The same applies to individual days without a roll-up.
 */
export async function totalsOf(context: ResolverContext, chain: Chain, factory: Address): Promise<ExchangeTotals | null> {
  const ranked = await rankedSnapshot(context, chain, factory, null);
  if (ranked?.rollUp) return totalsFromRollUp(context, chain, factory, ranked, ranked.rollUp);
  const snapshot = await snapshotAtAnchor(context, chain);
  return snapshot === null || snapshot.lastBlock === null
    ? null
    : totalsWithoutRollUp(context, chain, factory, snapshot, snapshot.lastBlock);
}

const totalsFromRollUp = async (
  context: ResolverContext,
  chain: Chain,
  factory: Address,
  snapshot: Snapshot,
  now: ExchangeHour,
): Promise<ExchangeTotals> => {
  const starts = startsOfDays(snapshot);
  const today = dayOf(snapshot.end - 1);
  const wholeDay = await context.rollUps.wholeDays(chain.id, factory, starts.map(dayOf));
  const found = starts.map((start): ExchangeDay | null => {
    const day = dayOf(start);
    if (day === today) return { start, swapCount: now.day_swaps, volume: now.day_volume, liquidity: now.liquidity };
    const whole = wholeDay(day);
    return whole === null ? null : { start, swapCount: whole.day_swaps, volume: whole.day_volume, liquidity: whole.liquidity };
  });
  const missing = found.flatMap((day, position) => (day === null ? [position] : []));
  const swapCounts = await swapCountsOfDays(context, chain, factory, snapshot, missing);
  return {
    swapCount: now.swaps,
    volume: now.volume,
    activePoolCount: now.week_pools,
    days: found.map((day, position) => day ?? dayWithoutValues(starts[position] ?? 0, swapCounts.get(position) ?? 0)),
  };
};

const dayWithoutValues = (start: number, swapCount: number): ExchangeDay => ({ start, swapCount, volume: null, liquidity: null });

/** The numbers of swaps on the days at the given positions in the month, by position. */
const swapCountsOfDays = async (
  context: ResolverContext,
  chain: Chain,
  factory: Address,
  snapshot: Snapshot,
  positions: readonly number[],
): Promise<ReadonlyMap<number, number>> => {
  if (positions.length === 0) return new Map();
  const [{ heights }, key] = await Promise.all([
    daysOfMonth(context, chain, snapshot),
    context.pools.exchangeKey(chain.id, factory, snapshot.lastBlock ?? -1),
  ]);
  const bounds = positions.flatMap((position) => [heights[position] ?? null, heights[position + 1] ?? null]);
  const swapCounts = await context.pools.exchangeSwapsAt(chain.id, key, bounds);
  return new Map(positions.map((position, index) => [position, (swapCounts[2 * index + 1] ?? 0) - (swapCounts[2 * index] ?? 0)]));
};

const totalsWithoutRollUp = async (
  context: ResolverContext,
  chain: Chain,
  factory: Address,
  snapshot: Snapshot,
  lastBlock: number,
): Promise<ExchangeTotals> => {
  const key = await context.pools.exchangeKey(chain.id, factory, lastBlock);
  const days = await daysOfMonth(context, chain, snapshot);
  const weekBefore = { block: snapshot.weekBlocks.at(-1) ?? null, day: dayOf(snapshot.end - 7 * secondsPerDay) };
  const [[now = 0, dayBefore = 0, ...ends], active] = await Promise.all([
    context.pools.exchangeSwapsAt(chain.id, key, [lastBlock, snapshot.blockDayBefore, ...days.heights]),
    context.pools.activePools(chain.id, key, weekBefore, { block: lastBlock, day: dayOf(snapshot.end) }, 0, 0),
  ]);
  return {
    swapCount: now - dayBefore,
    volume: null,
    activePoolCount: active.total,
    days: days.starts.map((start, day) => dayWithoutValues(start, (ends[day + 1] ?? 0) - (ends[day] ?? 0))),
  };
};
