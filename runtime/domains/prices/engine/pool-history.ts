import type { PoolObservation, PricedPool } from "./observations.ts";
import { weightedMedian } from "./weighted-median.ts";

/** How many smallest units of the second token one of the first is worth, as a fraction. */
export interface Ratio {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** The backing of a constant-product pool's LP token: the product of the reserves, and the supply of the token, all in smallest units. */
export interface LpTokenBacking {
  readonly product: bigint;
  readonly supply: bigint;
}

/** A pool over a time span: the time-weighted medians of its ratio, of its depths (of each token, in smallest units) and of its LP token's backing. */
export interface PoolSummary {
  readonly ratio: Ratio | null;
  readonly depths: readonly [number, number];
  readonly lpTokenBacking: LpTokenBacking | null;
}

/** A pool's state since a time. */
interface Entry {
  readonly since: number;
  readonly summary: PoolSummary;
}

/** A pool's recent states. */
export interface PoolHistory {
  readonly pool: PricedPool;
  /** Ascending; the first one starts before the summarized span. */
  entries: Entry[];
}

const q96 = 2n ** 96n;
const q192 = 2n ** 192n;

/** An empty pool history. */
export const createPoolHistory = (pool: PricedPool): PoolHistory => ({ pool, entries: [] });

/** Appends the pool's state from a time on. Times never decrease. */
export function recordObservation(history: PoolHistory, observation: PoolObservation): void {
  const entry = { since: observation.time, summary: summaryOf(history.pool, observation) };
  // Only the last of several blocks with one timestamp is stored: the states before it lasted no time.
  if (history.entries.at(-1)?.since === observation.time) history.entries.pop();
  history.entries.push(entry);
}

/** Drops states that ended before a time. */
export function trimHistory(history: PoolHistory, time: number): void {
  const first = history.entries.findIndex(({ since }) => since > time);
  const firstStored = first === -1 ? history.entries.length - 1 : first - 1;
  if (firstStored > 0) history.entries = history.entries.slice(firstStored);
}

/** Whether the pool has not changed since a time. */
export const isUnchangedSince = ({ entries }: PoolHistory, time: number): boolean =>
  entries.length === 1 && (entries[0]?.since ?? 0) <= time;

/** The pool over the span [from, to). It is empty before its first observation. */
export function summarize({ entries }: PoolHistory, from: number, to: number): PoolSummary {
  const [first] = entries;
  if (first === undefined) return emptySummary;
  if (entries.length === 1 && first.since <= from) return first.summary;
  const weighted = entries.map(({ since, summary }, position) => ({
    value: summary,
    weight: Math.max(0, Math.min(to, entries[position + 1]?.since ?? to) - Math.max(from, since)),
  }));
  const before = { value: emptySummary, weight: Math.max(0, Math.min(to, first.since) - from) };
  const known = <Part>(part: (summary: PoolSummary) => Part | null) =>
    weighted.flatMap(({ value, weight }) => {
      const partValue = part(value);
      return partValue === null ? [] : [{ value: partValue, weight }];
    });
  const depth = (side: 0 | 1): number =>
    weightedMedian(
      [before, ...weighted].map(({ value, weight }) => ({ value: value.depths[side], weight })),
      (left, right) => left - right,
    ) ?? 0;
  return {
    ratio: weightedMedian(
      known(({ ratio }) => ratio),
      (left, right) => signOf(left.numerator * right.denominator - right.numerator * left.denominator),
    ),
    depths: [depth(0), depth(1)],
    lpTokenBacking: weightedMedian(
      known(({ lpTokenBacking }) => lpTokenBacking),
      (left, right) => signOf(left.product * right.supply ** 2n - right.product * left.supply ** 2n),
    ),
  };
}

/** A pool with no known state. */
export const emptySummary: PoolSummary = { ratio: null, depths: [0, 0], lpTokenBacking: null };

const signOf = (difference: bigint): number => (difference < 0n ? -1 : difference > 0n ? 1 : 0);

/**
 * The reserves of a constant-product pool determine both ratio and depth. The ratio of a concentrated pool is its price (Uniswap V3 whitepaper, 6.2:
 * sqrt(P) × 2^96), and its depth is the virtual reserves of the active liquidity at that price (6.2.1: L/sqrt(P) and L×sqrt(P)), with two caps. The first
 * cap is the real reserve: a narrow range has far larger virtual reserves than the pool holds, and amounts beyond the range do not trade at the price. The
 * second cap is the value of the other reserve: a one-sided position can set any price that is too low at no risk, because nobody can sell into an empty side.
 */
function summaryOf({ isConcentrated }: PricedPool, { reserve0, reserve1, sqrtPriceX96, liquidity, supply }: PoolObservation): PoolSummary {
  if (reserve0 === null || reserve1 === null) return emptySummary;
  if (!isConcentrated) {
    const depths = [Number(reserve0), Number(reserve1)] as const;
    if (reserve0 <= 0n || reserve1 <= 0n) return { ...emptySummary, depths };
    const lpTokenBacking = supply === null || supply <= 0n ? null : { product: reserve0 * reserve1, supply };
    return { ratio: { numerator: reserve1, denominator: reserve0 }, depths, lpTokenBacking };
  }
  if (sqrtPriceX96 === null || sqrtPriceX96 === 0n || liquidity === null) return emptySummary;
  const square = sqrtPriceX96 ** 2n;
  const depth0 = minOfThree(reserve0, (liquidity * q96) / sqrtPriceX96, (reserve1 * q192) / square);
  const depth1 = minOfThree(reserve1, (liquidity * sqrtPriceX96) / q96, (reserve0 * square) / q192);
  return { ratio: { numerator: square, denominator: q192 }, depths: [Number(depth0), Number(depth1)], lpTokenBacking: null };
}

const minOfThree = (first: bigint, second: bigint, third: bigint): bigint => min(min(first, second), third);
const min = (left: bigint, right: bigint): bigint => (left < right ? left : right);
