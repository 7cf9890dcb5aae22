import { type Decimal, decimal, divide, multiply, toNumber } from "../../../lib/decimal.ts";
import type { Address } from "../../../lib/hex.ts";
import type { PoolSummary } from "./pool-history.ts";

/** A pool as a way from one token to the other. */
export interface Edge {
  readonly pool: Address;
  readonly tokens: readonly [Address, Address];
  summary: PoolSummary;
}

/** Pools by each of their tokens. */
export interface Edges {
  /** All pools that hold at least the floor of a token, of which a smallest unit is worth about so many US dollars; and some that hold less. */
  ofDepth(token: Address, worth: number): Iterable<Edge>;
}

/** A token's price by one pool. */
export interface Step {
  readonly from: Decimal;
  readonly summary: PoolSummary;
  readonly rate: Decimal;
}

interface Candidate {
  readonly token: Address;
  /** US dollars of the shallowest pool on the way: the most that a price on it can be trusted for. */
  readonly width: number;
  readonly hops: number;
  /** Tokens on the way that are no anchors. */
  readonly strangers: number;
  readonly by: { readonly edge: Edge; readonly from: Decimal } | null;
  readonly rate: Decimal | null;
}

/** Pools between a token and its anchor. */
const maxHops = 4;

/**
 * Prices of all tokens that a path of pools leads to from an anchor, each by the path with the fewest tokens between that are no anchors, and of these by the one
 * whose shallowest pool is deepest (widest path, by Dijkstra's order). A token of somebody's own costs them nothing and nobody else has it to trade against them: a path over one
 * could be made as deep as they like, and so counts only where there is no other. A pool counts by what it holds of the token that is nearer to the anchor, and not at all below the
 * floor in US dollars; of equal paths the one whose last pool has the lower address. `trusted` are the anchors, with a price of their own or without. `earlier` remembers
 * steps from call to call, so that what did not move is not computed again.
 */
export function priceByPools(
  anchors: ReadonlyMap<Address, Decimal>,
  trusted: ReadonlySet<Address>,
  edges: Edges,
  floor: number,
  earlier: Map<Address, Step>,
): Map<Address, Decimal> {
  const rates = new Map<Address, Decimal>();
  const queue = createQueue();
  for (const [token, rate] of anchors) queue.push({ token, width: Number.POSITIVE_INFINITY, hops: 0, strangers: 0, by: null, rate });
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { token, by } = next;
    if (rates.has(token)) continue;
    const rate = by === null ? (next.rate as Decimal) : stepOver(token, by.edge, by.from, earlier);
    rates.set(token, rate);
    if (next.hops === maxHops) continue;
    const strangers = next.strangers + (by === null || trusted.has(token) ? 0 : 1);
    for (const { other, edge, depth } of waysFrom(token, worthOf(rate), edges, floor)) {
      if (rates.has(other)) continue;
      queue.push({
        token: other,
        width: Math.min(next.width, depth),
        hops: next.hops + 1,
        strangers,
        by: { edge, from: rate },
        rate: null,
      });
    }
  }
  return rates;
}

/** The pools that lead on from a token of which a smallest unit is worth so many US dollars: with the token that they lead to, and what they hold of the first in US dollars. */
function* waysFrom(token: Address, worth: number, edges: Edges, floor: number) {
  for (const edge of edges.ofDepth(token, worth)) {
    const side = edge.tokens[0] === token ? 0 : 1;
    const depth = edge.summary.depths[side] * worth;
    if (edge.summary.ratio !== null && depth >= floor) yield { other: edge.tokens[1 - side] as Address, edge, depth };
  }
}

/** The price of a token by the price of the other one of a pool: one smallest unit of the first is worth `ratio` of the second. */
function stepOver(token: Address, { tokens, summary }: Edge, from: Decimal, earlier: Map<Address, Step>): Decimal {
  const known = earlier.get(token);
  if (known !== undefined && known.from === from && known.summary === summary) return known.rate;
  const { numerator, denominator } = summary.ratio as NonNullable<PoolSummary["ratio"]>;
  const isFirst = tokens[0] === token;
  const rate = divide(multiply(from, decimal(isFirst ? numerator : denominator)), decimal(isFirst ? denominator : numerator));
  earlier.set(token, { from, summary, rate });
  return rate;
}

/** About how many US dollars a smallest unit is worth: enough to tell a deep pool from a shallow one, and quicker than the nearest number. */
export const worthOf = (rate: Decimal): number =>
  rate.scale >= 0 && rate.scale < 300 ? Number(rate.digits) / 10 ** rate.scale : toNumber(rate);

const isBefore = (left: Candidate, right: Candidate): boolean =>
  left.strangers !== right.strangers
    ? left.strangers < right.strangers
    : left.width !== right.width
      ? left.width > right.width
      : left.hops !== right.hops
        ? left.hops < right.hops
        : (left.by?.edge.pool ?? left.token) < (right.by?.edge.pool ?? right.token);

/** A binary heap: the widest candidate first. */
function createQueue() {
  const heap: Candidate[] = [];
  const at = (position: number): Candidate => heap[position] as Candidate;
  const swap = (left: number, right: number): void => {
    const kept = at(left);
    heap[left] = at(right);
    heap[right] = kept;
  };
  return {
    push: (candidate: Candidate): void => {
      let position = heap.push(candidate) - 1;
      while (position > 0) {
        const parent = (position - 1) >> 1;
        if (!isBefore(at(position), at(parent))) return;
        swap(position, parent);
        position = parent;
      }
    },
    pop: (): Candidate | undefined => {
      const [first] = heap;
      const last = heap.pop();
      if (heap.length === 0 || last === undefined) return first;
      heap[0] = last;
      let position = 0;
      for (;;) {
        const left = 2 * position + 1;
        let best = position;
        if (left < heap.length && isBefore(at(left), at(best))) best = left;
        if (left + 1 < heap.length && isBefore(at(left + 1), at(best))) best = left + 1;
        if (best === position) return first;
        swap(position, best);
        position = best;
      }
    },
  };
}
