import { describe, expect, it } from "vitest";
import {
  chooseProbes,
  fillGap,
  type Gap,
  type Step,
  type Value,
} from "../../../../../runtime/domains/tokens/jobs/reconcile-balances/supplies/step-function.ts";

/** Narrows a gap as resolve-supplies does; returns all steps and the number of readings. */
const resolve = (valueAt: (block: number) => Value, gap: Gap, limit: number, candidates: readonly number[] = [], newestFirst = false) => {
  let [steps, reads]: [Step[], number] = [
    [
      { block: gap.first, value: undefined },
      { block: gap.last + 1, value: gap.after },
    ],
    0,
  ];
  for (let round = 0; round < 1_000; round += 1) {
    const position = steps.findLastIndex(({ value }) => value === undefined);
    const [open, next] = [steps[position], steps[position + 1]];
    if (open === undefined || next === undefined || next.value === undefined) return { steps, reads };
    const part = {
      first: open.block,
      last: next.block - 1,
      before: position === 0 ? gap.before : steps[position - 1]?.value,
      after: next.value,
    };
    const partCandidates = candidates.filter((block) => block >= part.first && block <= part.last);
    const probes = chooseProbes(part, partCandidates, limit, newestFirst);
    expect(probes.blocks.length).toBeLessThanOrEqual(limit);
    reads += probes.blocks.length;
    const readings = probes.blocks.map((block) => ({ block, value: valueAt(block) }));
    steps = [...steps.slice(0, position), ...fillGap(part, readings, probes.isTruncated), ...steps.slice(position + 2)];
  }
  throw new Error(`The gap from ${gap.first} to ${gap.last} was not resolved after 1,000 rounds`);
};

describe("the search for supply changes", () => {
  it("finds one change among twenty million blocks with a few hundred readings", () => {
    const changed = 13_131_313;
    const valueAt = (block: number) => (block < changed ? 0n : 7n);
    const { steps, reads } = resolve(valueAt, { first: 1, last: 19_999_999, before: 0n, after: 7n }, 24);
    expect(steps).toEqual([{ block: changed, value: 7n }]);
    // 24 readings split a gap into 23 parts: 20 million blocks take six rounds.
    expect(reads).toBeLessThanOrEqual(6 * 24);
  });

  it("finds several changes, each at its block", () => {
    const values = new Map([
      [100, 1n],
      [101, 2n],
      [5_000, 3n],
      [90_001, 9n],
    ]);
    const valueAt = (block: number) => [...values].reduce((value, [from, next]) => (block >= from ? next : value), 0n);
    const { steps } = resolve(valueAt, { first: 1, last: 99_999, before: 0n, after: 9n }, 24);
    expect(steps).toEqual([...values].map(([block, value]) => ({ block, value })));
  });

  it("finds restored values if every candidate block is read, newest first", () => {
    const touched = Array.from({ length: 100 }, (_, position) => 10 + position * 10);
    // The value changes in every second candidate block, and is restored in the next one.
    const valueAt = (block: number) => (Math.floor(block / 10) % 2 === 0 ? 1n : 0n);
    const { steps } = resolve(valueAt, { first: 1, last: 1_009, before: 1n, after: valueAt(1_010) }, 8, touched, true);
    const expected = touched.filter((block) => valueAt(block) !== valueAt(block - 1)).map((block) => ({ block, value: valueAt(block) }));
    const changes = steps.filter(({ value }, position) => value !== (position === 0 ? 1n : steps[position - 1]?.value));
    expect(changes.filter(({ block }) => block <= 1_000)).toEqual(expected);
  });

  it("reads a gap down to its first block if no value precedes it", () => {
    const { steps } = resolve((block) => (block < 40 ? 5n : null), { first: 10, last: 99, before: undefined, after: null }, 4);
    expect(steps).toEqual([
      { block: 10, value: 5n },
      { block: 40, value: null },
    ]);
  });
});
