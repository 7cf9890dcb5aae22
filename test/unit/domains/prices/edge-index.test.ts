import { describe, expect, it } from "vitest";
import { createRandom } from "../../../../demo/story/random.ts";
import { createEdgeIndex } from "../../../../runtime/domains/prices/engine/edge-index.ts";
import { emptySummary } from "../../../../runtime/domains/prices/engine/pool-history.ts";
import type { Edge } from "../../../../runtime/domains/prices/engine/routes.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { other, token, usd } from "./observed-model.ts";

const floor = 10_000;
const addressOf = (number: number): Address => `0x${number.toString(16).padStart(40, "0")}`;
const edgeOf = (number: number, depths: readonly [number, number], tokens: readonly [Address, Address] = [usd, token]): Edge => ({
  pool: addressOf(number),
  tokens,
  summary: { ...emptySummary, depths },
});
const poolsOf = (edges: Iterable<Edge>): Address[] => Array.from(edges, ({ pool }) => pool).sort();

describe("the index of pools by depth", () => {
  it("skips pools with almost no depth", () => {
    const index = createEdgeIndex(floor);
    for (let number = 0; number < 1_000; number += 1) index.add(edgeOf(number, [number < 10 ? 20_000 : 1, 1]));
    expect(poolsOf(index.withDepth(usd, 1))).toEqual(Array.from({ length: 10 }, (_, number) => addressOf(number)));
    expect(poolsOf(index.withDepth(other, 1))).toEqual([]);
  });

  it("finds every deep pool as reserves and prices change", () => {
    const random = createRandom("depths");
    const index = createEdgeIndex(floor);
    const edges = Array.from({ length: 200 }, (_, number) => edgeOf(number, [0, 0], number % 3 === 0 ? [usd, other] : [usd, token]));
    for (const edge of edges) index.add(edge);
    let price = 1;
    for (let round = 0; round < 500; round += 1) {
      for (let change = 0; change < 5; change += 1) {
        const edge = edges[random.between(0, 199)] as Edge;
        edge.summary = { ...emptySummary, depths: [10 ** random.between(0, 12), 10 ** random.between(0, 12)] };
        index.update(edge);
      }
      price *= 2 ** random.between(-6, 6);
      for (const queried of [usd, token, other]) {
        const deep = edges.filter(({ tokens, summary: { depths } }) =>
          tokens.some((address, side) => address === queried && (depths[side] ?? 0) * price >= floor),
        );
        const returned = new Set(index.withDepth(queried, price));
        expect(
          deep.every((edge) => returned.has(edge)),
          `${round} ${queried}`,
        ).toBe(true);
        // It may return shallower pools, but none below 1/64 of the floor.
        const lowestDepth = floor / 64 / price / 1.001;
        expect(
          [...returned].every(({ tokens, summary: { depths } }) =>
            tokens.some((address, side) => address === queried && (depths[side] ?? 0) >= lowestDepth),
          ),
        ).toBe(true);
      }
    }
  });

  it("finds no pools if the price is 0", () => {
    const index = createEdgeIndex(floor);
    index.add(edgeOf(1, [1e300, 1]));
    expect(poolsOf(index.withDepth(usd, 0))).toEqual([]);
    expect(poolsOf(index.withDepth(usd, 1))).toEqual([addressOf(1)]);
  });
});
