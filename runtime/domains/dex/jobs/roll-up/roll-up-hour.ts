import type { Address } from "../../../../lib/hex.ts";
import { secondsPerDay, secondsPerHour } from "../../../../lib/time.ts";
import type { PoolRow } from "../../../pools/queries/pool.ts";
import { emptyPoolState, type PoolState } from "../../../pools/queries/state.ts";
import { dayOf, endsOfWeek, priceTimesOfWeek } from "../../queries/spans.ts";
import { liquidityValue, volumeOfSpans, volumeValue } from "../../queries/valuation.ts";
import { createKnownSum, type PoolValue, type RollUp, type RollUpDeps, rankPools, rankTokens } from "./roll-up.ts";
import { tokenValues } from "./token-values.ts";

/** Max pools per read; bounds statement size and memory for exchanges of any size. */
const portionSize = 1_000;
const daysPerWeek = 7;
/** A limit above any possible number of pools. */
const noLimit = 2 ** 31 - 1;

/** The last block of each span in an hour's roll-up; null before the first block. */
interface Heights {
  readonly week: readonly (number | null)[];
  readonly midnight: number | null;
  readonly activeSince: number | null;
}

/**
 * Computes an exchange's roll-up at the end of an hour with complete prices. Reads in portions; only a reorganisation can change the rows that it
 * reads.
 */
export async function rollUpHour(deps: RollUpDeps, factory: Address, activePoolDays: number, hour: number): Promise<RollUp> {
  const { chainId, pools } = deps;
  const end = (hour + 1) * secondsPerHour;
  const heights = await heightsOf(deps, end, activePoolDays);
  const [at = null, dayBefore = null] = heights.week;
  const block = at ?? -1;
  const key = await pools.exchangeKey(chainId, factory, block);
  const upTo = { block, day: dayOf(end) };
  const [active, week, [swaps = 0, swapsDayBefore = 0, swapsByMidnight = 0]] = await Promise.all([
    pools.activePools(
      chainId,
      key,
      { block: heights.activeSince, day: dayOf(end - activePoolDays * secondsPerDay) },
      upTo,
      at === null ? 0 : noLimit,
      0,
    ),
    pools.activePools(chainId, key, { block: heights.week.at(-1) ?? null, day: dayOf(end) - daysPerWeek }, upTo, 0, 0),
    pools.exchangeSwapsAt(chainId, key, [at, dayBefore, heights.midnight]),
  ]);
  const activeAddresses = new Set(active.pools);
  const [liquidity, volume, dayVolume] = [createKnownSum(), createKnownSum(), createKnownSum()];
  const poolValues: PoolValue[] = [];
  const priced = new Set<Address>();
  let hasPools = false;
  for await (const rows of portions(deps, factory, block)) {
    hasPools = true;
    const values = await valueOfPools(deps, rows, activeAddresses, heights, end);
    for (const token of values.priced) priced.add(token);
    values.liquidity.forEach(liquidity.add);
    values.volumes.forEach(volume.add);
    values.dayVolumes.forEach(dayVolume.add);
    poolValues.push(...values.active);
  }
  const tokens = await tokenValues(deps, factory, [...priced], key.sharedPools, { at, dayBefore }, end);
  return {
    hour,
    pools: rankPools(poolValues),
    tokens: rankTokens(tokens.ranked),
    weekPoolCount: week.total,
    tokenCount: tokens.count,
    liquidity: liquidity.total(!hasPools),
    volume: volume.total(swaps === swapsDayBefore),
    swapCount: swaps - swapsDayBefore,
    dayVolume: dayVolume.total(swaps === swapsByMidnight),
    daySwapCount: swaps - swapsByMidnight,
  };
}

const heightsOf = async ({ chainId, tokens }: RollUpDeps, end: number, activePoolDays: number): Promise<Heights> => {
  const ends = endsOfWeek(end);
  const midnight = dayOf(end - 1) * secondsPerDay;
  const heights = await tokens.heightsBefore(chainId, [...ends, midnight, end - activePoolDays * secondsPerDay]);
  return {
    week: heights.slice(0, ends.length),
    midnight: heights[ends.length] ?? null,
    activeSince: heights[ends.length + 1] ?? null,
  };
};

async function* portions({ chainId, pools }: RollUpDeps, factory: Address, block: number): AsyncGenerator<PoolRow[]> {
  let after: Address | null = null;
  for (;;) {
    const rows: PoolRow[] = await pools.poolsAfter(chainId, factory, after, block, portionSize);
    if (rows.length > 0) yield rows;
    if (rows.length < portionSize) return;
    after = rows.at(-1)?.pool ?? null;
  }
}

/** The values of pools, and their priced tokens. Inactive pools are included only if both of their tokens have a price. */
const valueOfPools = async (
  { chainId, pools, prices }: RollUpDeps,
  rows: readonly PoolRow[],
  activeAddresses: ReadonlySet<Address>,
  { week, midnight }: Heights,
  end: number,
) => {
  const tokensOf = (poolRows: readonly PoolRow[]) => new Set(poolRows.flatMap(({ token0, token1 }) => [token0, token1]));
  const active = rows.filter(({ pool }) => activeAddresses.has(pool));
  const times = priceTimesOfWeek(end);
  const [rateNow, rateAt] = await Promise.all([
    prices.ratesAt(chainId, "USD", tokensOf(rows), end - 1),
    prices.ratesAtEachTime(chainId, "USD", tokensOf(active), times),
  ]);
  const idle = rows.filter(
    ({ pool, token0, token1 }) => !activeAddresses.has(pool) && rateNow(token0) !== null && rateNow(token1) !== null,
  );
  const addressesOf = (poolRows: readonly PoolRow[]) => poolRows.map(({ pool }) => pool);
  const [idleStates, activeStates] = await Promise.all([
    pools.statesAt(chainId, addressesOf(idle), week.slice(0, 1)),
    pools.statesAt(chainId, addressesOf(active), [...week, midnight]),
  ]);
  const valued = active.map(({ pool, token0, token1 }) => {
    const states = activeStates(pool);
    const [now = emptyPoolState, dayBefore = emptyPoolState] = states;
    const byMidnight: PoolState = states[week.length] ?? emptyPoolState;
    const rates = times.map((time) => [rateAt(token0, time), rateAt(token1, time)] as const);
    const [currentRates = [null, null]] = rates;
    return {
      value: {
        pool,
        liquidity: liquidityValue(now, currentRates),
        volume: volumeValue(dayBefore, now, currentRates),
        weekVolume: volumeOfSpans(states.slice(0, week.length), rates),
      },
      // Without swaps in a span, an unknown price does not make its volume unknown.
      volume: now.swaps === dayBefore.swaps ? null : volumeValue(dayBefore, now, currentRates),
      dayVolume: now.swaps === byMidnight.swaps ? null : volumeValue(byMidnight, now, currentRates),
    };
  });
  return {
    active: valued.map(({ value }) => value),
    volumes: valued.map(({ volume }) => volume),
    dayVolumes: valued.map(({ dayVolume }) => dayVolume),
    liquidity: [
      ...valued.map(({ value }) => value.liquidity),
      ...idle.map(({ pool, token0, token1 }) => liquidityValue(idleStates(pool)[0] ?? emptyPoolState, [rateNow(token0), rateNow(token1)])),
    ],
    priced: [...tokensOf(rows)].filter((token) => rateNow(token) !== null),
  };
};
