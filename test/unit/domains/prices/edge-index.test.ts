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
  it("skips pools that hold almost nothing", () => {
    const book = createEdgeIndex(floor);
    for (let number = 0; number < 1_000; number += 1) book.add(edgeOf(number, [number < 10 ? 20_000 : 1, 1]));
    expect(poolsOf(book.withDepth(usd, 1))).toEqual(Array.from({ length: 10 }, (_, number) => addressOf(number)));
    expect(poolsOf(book.withDepth(other, 1))).toEqual([]);
  });

  it("finds every deep pool as reserves and prices change", () => {
    const random = createRandom("depths");
    const book = createEdgeIndex(floor);
    const edges = Array.from({ length: 200 }, (_, number) => edgeOf(number, [0, 0], number % 3 === 0 ? [usd, other] : [usd, token]));
    for (const edge of edges) book.add(edge);
    let worth = 1;
    for (let turn = 0; turn < 500; turn += 1) {
      for (let change = 0; change < 5; change += 1) {
        const edge = edges[random.between(0, 199)] as Edge;
        edge.summary = { ...emptySummary, depths: [10 ** random.between(0, 12), 10 ** random.between(0, 12)] };
        book.update(edge);
      }
      worth *= 2 ** random.between(-6, 6);
      for (const queried of [usd, token, other]) {
        const deep = edges.filter(({ tokens, summary: { depths } }) =>
          tokens.some((one, side) => one === queried && (depths[side] ?? 0) * worth >= floor),
        );
        const found = new Set(book.withDepth(queried, worth));
        expect(
          deep.every((edge) => found.has(edge)),
          `${turn} ${queried}`,
        ).toBe(true);
        // And few others: none below 1/64 of the floor.
        const lowestWorth = floor / 64 / worth / 1.001;
        expect(
          [...found].every(({ tokens, summary: { depths } }) =>
            tokens.some((one, side) => one === queried && (depths[side] ?? 0) >= lowestWorth),
          ),
        ).toBe(true);
      }
    }
  });

  it("finds none if a unit is worth nothing", () => {
    const book = createEdgeIndex(floor);
    book.add(edgeOf(1, [1e300, 1]));
    expect(poolsOf(book.withDepth(usd, 0))).toEqual([]);
    expect(poolsOf(book.withDepth(usd, 1))).toEqual([addressOf(1)]);
  });
});
