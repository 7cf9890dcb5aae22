import type { Address } from "../../../lib/hex.ts";
import type { Edge, Edges } from "./routes.ts";

/** Pools by each of their tokens, updated as their reserves change. */
export interface EdgeIndex extends Edges {
  add(edge: Edge): void;
  /** Must be called after a change to the edge's summary. */
  update(edge: Edge): void;
}

/** A token's pools, and the subset that holds at least `limit` of it. */
interface TokenEdges {
  readonly all: Edge[];
  limit: number;
  readonly deep: Set<Edge>;
}

/** A new limit is the required depth divided by `margin`: all pools are scanned again after a price has risen by `margin / 2` or fallen by `margin`. */
const margin = 8;

/** An index of pools. Most pools of a large exchange hold almost nothing: the subset of deep pools saves each bucket from scanning all of them. */
export function createEdgeIndex(floor: number): EdgeIndex {
  const byToken = new Map<Address, TokenEdges>();
  const rescan = (token: Address, edges: TokenEdges, limit: number): void => {
    edges.limit = limit;
    edges.deep.clear();
    for (const edge of edges.all) if (depthOf(edge, token) >= limit) edges.deep.add(edge);
  };
  return {
    add: (edge) => {
      for (const token of new Set(edge.tokens)) {
        const edges = byToken.get(token);
        if (edges === undefined) byToken.set(token, { all: [edge], limit: Number.POSITIVE_INFINITY, deep: new Set() });
        else edges.all.push(edge);
      }
    },
    update: (edge) => {
      for (const token of edge.tokens) {
        const edges = byToken.get(token);
        if (edges === undefined) continue;
        if (depthOf(edge, token) >= edges.limit) edges.deep.add(edge);
        else edges.deep.delete(edge);
      }
    },
    withDepth: (token, price) => {
      const edges = byToken.get(token);
      if (edges === undefined) return [];
      const needed = floor / price;
      // The limit must be at most half of the required depth, so that rounding excludes no pool, and not so low that the subset contains most pools.
      if (!(edges.limit * 2 <= needed && edges.limit * margin ** 2 >= needed)) rescan(token, edges, needed / margin);
      return edges.deep;
    },
  };
}

/** The amount of a token that a pool holds. */
const depthOf = ({ tokens, summary: { depths } }: Edge, token: Address): number =>
  Math.max(tokens[0] === token ? depths[0] : 0, tokens[1] === token ? depths[1] : 0);
