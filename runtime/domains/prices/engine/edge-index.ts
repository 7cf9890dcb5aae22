import type { Address } from "../../../lib/hex.ts";
import type { Edge, Edges } from "./routes.ts";

/** Pools by each of their tokens. */
export interface EdgeBook extends Edges {
  add(edge: Edge): void;
  /** To be told after a pool's summary changed. */
  changed(edge: Edge): void;
}

/** A token's pools, and those of them that hold at least so much of it. */
interface Shelf {
  readonly all: Edge[];
  limit: number;
  readonly some: Set<Edge>;
}

/** What is kept at hand holds this part of what is asked for, so that a price may rise so often over before all pools are looked at again. */
const margin = 8;

/** A book of pools. Most pools of a large exchange hold next to nothing: those that hold more are kept at hand, so that no quarter of an hour goes through all. */
export function createEdgeBook(floor: number): EdgeBook {
  const shelves = new Map<Address, Shelf>();
  const refill = (token: Address, shelf: Shelf, limit: number): void => {
    shelf.limit = limit;
    shelf.some.clear();
    for (const edge of shelf.all) if (depthOf(edge, token) >= limit) shelf.some.add(edge);
  };
  return {
    add: (edge) => {
      for (const token of new Set(edge.tokens)) {
        const shelf = shelves.get(token);
        if (shelf === undefined) shelves.set(token, { all: [edge], limit: Number.POSITIVE_INFINITY, some: new Set() });
        else shelf.all.push(edge);
      }
    },
    changed: (edge) => {
      for (const token of edge.tokens) {
        const shelf = shelves.get(token);
        if (shelf === undefined) continue;
        if (depthOf(edge, token) >= shelf.limit) shelf.some.add(edge);
        else shelf.some.delete(edge);
      }
    },
    ofDepth: (token, worth) => {
      const shelf = shelves.get(token);
      if (shelf === undefined) return [];
      const needed = floor / worth;
      // Half of it at least, so that nothing is lost to the rounding of either; and not so little that most are kept.
      if (!(shelf.limit * 2 <= needed && shelf.limit * margin ** 2 >= needed)) refill(token, shelf, needed / margin);
      return shelf.some;
    },
  };
}

/** What a pool holds of a token. */
const depthOf = ({ tokens, summary: { depths } }: Edge, token: Address): number =>
  Math.max(tokens[0] === token ? depths[0] : 0, tokens[1] === token ? depths[1] : 0);
