import { type Decimal, decimal, divide, multiply, toNumber } from "../../../lib/decimal.ts";
import type { Address } from "../../../lib/hex.ts";
import type { PoolSummary } from "./pool-history.ts";

/** A pool as an edge between its tokens. */
export interface Edge {
  readonly pool: Address;
  readonly tokens: readonly [Address, Address];
  summary: PoolSummary;
}

/** Pools by each of their tokens. */
export interface Edges {
  /** All pools whose amount of a token is worth at least the floor at about this price (US dollars per smallest unit), and possibly some below it. */
  withDepth(token: Address, price: number): Iterable<Edge>;
}

/** A token's price through one pool, with the inputs that it was computed from. */
export interface PricedHop {
  readonly fromRate: Decimal;
  readonly summary: PoolSummary;
  readonly rate: Decimal;
}

interface Candidate {
  readonly token: Address;
  /** US dollars in the shallowest pool of the path: the amount up to which its price can be trusted. */
  readonly width: number;
  readonly hops: number;
  /** Intermediate tokens that are not anchors. */
  readonly untrustedHops: number;
  readonly via: { readonly edge: Edge; readonly fromRate: Decimal } | null;
  readonly rate: Decimal | null;
}

/** Max pools on the path from an anchor to a token. */
const maxHops = 4;

/**
 * Prices all tokens connected to an anchor by a path of pools. Each token is priced by the path with the fewest intermediate tokens that are not anchors, and
 * among those the path whose shallowest pool is deepest (widest path, in Dijkstra's order). The issuer of an intermediate token can make a path through it
 * arbitrarily deep at no cost if no other account holds the token to trade against it, so this path is used only if no other exists. The depth
 * of a pool is its reserve of the token nearer to the anchor; pools below the floor in US dollars are ignored. Ties go to the path whose last pool has
 * the lower address. `trusted` are the anchors, with or without a price from another source. `cache` keeps hops between calls, so that unchanged ones are not
 * recomputed.
 */
export function priceFromPools(
  anchors: ReadonlyMap<Address, Decimal>,
  trusted: ReadonlySet<Address>,
  edges: Edges,
  floor: number,
  cache: Map<Address, PricedHop>,
): Map<Address, Decimal> {
  const rates = new Map<Address, Decimal>();
  const queue = createQueue();
  for (const [token, rate] of anchors) queue.push({ token, width: Number.POSITIVE_INFINITY, hops: 0, untrustedHops: 0, via: null, rate });
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { token, via } = next;
    if (rates.has(token)) continue;
    const rate = via === null ? (next.rate as Decimal) : priceThroughPool(token, via.edge, via.fromRate, cache);
    rates.set(token, rate);
    if (next.hops === maxHops) continue;
    const untrustedHops = next.untrustedHops + (via === null || trusted.has(token) ? 0 : 1);
    for (const { other, edge, depth } of edgesFrom(token, approximate(rate), edges, floor)) {
      if (rates.has(other)) continue;
      queue.push({
        token: other,
        width: Math.min(next.width, depth),
        hops: next.hops + 1,
        untrustedHops,
        via: { edge, fromRate: rate },
        rate: null,
      });
    }
  }
  return rates;
}

/** The usable pools of a token at a price in US dollars per smallest unit, each with its other token and its depth in US dollars. */
function* edgesFrom(token: Address, price: number, edges: Edges, floor: number) {
  for (const edge of edges.withDepth(token, price)) {
    const side = edge.tokens[0] === token ? 0 : 1;
    const depth = edge.summary.depths[side] * price;
    if (edge.summary.ratio !== null && depth >= floor) yield { other: edge.tokens[1 - side] as Address, edge, depth };
  }
}

/** A token's price, derived from the price of a pool's other token: one smallest unit of token 0 is worth `ratio` of token 1. */
function priceThroughPool(token: Address, { tokens, summary }: Edge, fromRate: Decimal, cache: Map<Address, PricedHop>): Decimal {
  const cached = cache.get(token);
  if (cached !== undefined && cached.fromRate === fromRate && cached.summary === summary) return cached.rate;
  const { numerator, denominator } = summary.ratio as NonNullable<PoolSummary["ratio"]>;
  const isFirst = tokens[0] === token;
  const rate = divide(multiply(fromRate, decimal(isFirst ? numerator : denominator)), decimal(isFirst ? denominator : numerator));
  cache.set(token, { fromRate, summary, rate });
  return rate;
}

/** A price as an approximate number: exact enough to compare depths, and faster to compute than the nearest number. */
export const approximate = (rate: Decimal): number =>
  rate.scale >= 0 && rate.scale < 300 ? Number(rate.digits) / 10 ** rate.scale : toNumber(rate);

const isBefore = (left: Candidate, right: Candidate): boolean =>
  left.untrustedHops !== right.untrustedHops
    ? left.untrustedHops < right.untrustedHops
    : left.width !== right.width
      ? left.width > right.width
      : left.hops !== right.hops
        ? left.hops < right.hops
        : (left.via?.edge.pool ?? left.token) < (right.via?.edge.pool ?? right.token);

/** A binary heap that pops the best candidate first, as defined by `isBefore`. */
function createQueue() {
  const heap: Candidate[] = [];
  const at = (position: number): Candidate => heap[position] as Candidate;
  const swap = (left: number, right: number): void => {
    const value = at(left);
    heap[left] = at(right);
    heap[right] = value;
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
