import type { PoolObservation, PricedPool } from "./observations.ts";
import { weightedMedian } from "./weighted-median.ts";

/** Smallest units of the second token for one of the first, as a fraction. */
export interface Ratio {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** What a constant-product pool's own token stands for: the product of its reserves, and how many smallest units there are of the token. */
export interface Share {
  readonly product: bigint;
  readonly supply: bigint;
}

/** A pool over a span of time: the ratio, the depths (of each token, in its smallest unit) and the share that stood in the middle of it. */
export interface PoolSummary {
  readonly ratio: Ratio | null;
  readonly depths: readonly [number, number];
  readonly share: Share | null;
}

interface Standing {
  readonly since: number;
  readonly summary: PoolSummary;
}

/** What a pool was lately. */
export interface PoolBook {
  readonly facts: PricedPool;
  /** Ascending; the first one stands since before the span that is looked at. */
  standings: Standing[];
}

const q96 = 2n ** 96n;
const q192 = 2n ** 192n;

export const createPoolBook = (facts: PricedPool): PoolBook => ({ facts, standings: [] });

/** Notes what the pool is from a time on. Times do not go back. */
export function observePool(book: PoolBook, word: PoolObservation): void {
  const standing = { since: word.time, summary: summaryOfWord(book.facts, word) };
  // Of blocks of one second the last counts: the others stood for no time.
  if (book.standings.at(-1)?.since === word.time) book.standings.pop();
  book.standings.push(standing);
}

/** Forgets what ended before a time. */
export function trimPool(book: PoolBook, time: number): void {
  const first = book.standings.findIndex(({ since }) => since > time);
  const kept = first === -1 ? book.standings.length - 1 : first - 1;
  if (kept > 0) book.standings = book.standings.slice(kept);
}

/** Whether nothing has changed since a time. */
export const standsSince = ({ standings }: PoolBook, time: number): boolean => standings.length === 1 && (standings[0]?.since ?? 0) <= time;

/** The pool over the span [from, to). Before its first word there was nothing in it. */
export function summarize({ standings }: PoolBook, from: number, to: number): PoolSummary {
  const [first] = standings;
  if (first === undefined) return emptySummary;
  if (standings.length === 1 && first.since <= from) return first.summary;
  const weighted = standings.map(({ since, summary }, position) => ({
    value: summary,
    weight: Math.max(0, Math.min(to, standings[position + 1]?.since ?? to) - Math.max(from, since)),
  }));
  const before = { value: emptySummary, weight: Math.max(0, Math.min(to, first.since) - from) };
  const known = <Part>(part: (summary: PoolSummary) => Part | null) =>
    weighted.flatMap(({ value, weight }) => {
      const said = part(value);
      return said === null ? [] : [{ value: said, weight }];
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
    share: weightedMedian(
      known(({ share }) => share),
      (left, right) => signOf(left.product * right.supply ** 2n - right.product * left.supply ** 2n),
    ),
  };
}

/** A pool of which nothing is known. */
export const emptySummary: PoolSummary = { ratio: null, depths: [0, 0], share: null };

const signOf = (difference: bigint): number => (difference < 0n ? -1 : difference > 0n ? 1 : 0);

/**
 * Of a constant-product pool the reserves say both ratio and depth. Of a concentrated one the ratio is its price (Uniswap V3 whitepaper, 6.2: sqrt(P) × 2^96), and
 * the depth is what its active liquidity stands for at that price (6.2.1: L/sqrt(P) and L×sqrt(P)), but no more than it holds: liquidity in a narrow range
 * stands for far more than there is, and what lies beyond the range cannot be traded at the price. Nor more than what it holds of the other token is worth at the
 * price: where there is nothing to be had for one, whoever offers it may name any price that is too low, and nobody can take them at their word.
 */
function summaryOfWord(
  { isConcentrated }: PricedPool,
  { reserve0, reserve1, sqrtPriceX96, liquidity, supply }: PoolObservation,
): PoolSummary {
  if (reserve0 === null || reserve1 === null) return emptySummary;
  if (!isConcentrated) {
    const depths = [Number(reserve0), Number(reserve1)] as const;
    if (reserve0 <= 0n || reserve1 <= 0n) return { ...emptySummary, depths };
    const share = supply === null || supply <= 0n ? null : { product: reserve0 * reserve1, supply };
    return { ratio: { numerator: reserve1, denominator: reserve0 }, depths, share };
  }
  if (sqrtPriceX96 === null || sqrtPriceX96 === 0n || liquidity === null) return emptySummary;
  const square = sqrtPriceX96 ** 2n;
  const depth0 = smallest(reserve0, (liquidity * q96) / sqrtPriceX96, (reserve1 * q192) / square);
  const depth1 = smallest(reserve1, (liquidity * sqrtPriceX96) / q96, (reserve0 * square) / q192);
  return { ratio: { numerator: square, denominator: q192 }, depths: [Number(depth0), Number(depth1)], share: null };
}

const smallest = (first: bigint, second: bigint, third: bigint): bigint => smaller(smaller(first, second), third);
const smaller = (left: bigint, right: bigint): bigint => (left < right ? left : right);
