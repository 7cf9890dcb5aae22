import { describe, expect, it } from "vitest";
import { nextBlocks, type ScheduledBlocks } from "../../../../runtime/domains/community/jobs/read-contracts/schedule.ts";

/** Schedules blocks until none are left, and returns them in order. */
const blocksUntilDone = (scheduled: ScheduledBlocks | null, interval: number, head: number, lowest: number): number[] => {
  const blocks: number[] = [];
  for (let current = scheduled, rounds = 0; rounds < 1_000; rounds += 1) {
    const next = nextBlocks(current, interval, head, lowest);
    if (next === null) return blocks;
    blocks.push(...next.blocks);
    current = next.scheduled;
  }
  throw new Error("The schedule did not end after 1,000 rounds.");
};

describe("nextBlocks", () => {
  it("returns the newest multiple first, then the ones before it", () => {
    expect(blocksUntilDone(null, 10, 57, 12)).toEqual([50, 40, 30, 20]);
    expect(blocksUntilDone(null, 10, 50, 10)).toEqual([50, 40, 30, 20, 10]);
  });

  it("returns each multiple once, even if there are many", () => {
    const blocks = blocksUntilDone(null, 3, 1_000, 100);
    const expected = Array.from({ length: 300 }, (_, position) => 999 - 3 * position);
    expect(blocks).toEqual(expected);
  });

  it("continues with later blocks", () => {
    expect(blocksUntilDone({ from: 20, to: 50 }, 10, 83, 12)).toEqual([60, 70, 80]);
  });

  it("continues after a reorganisation has ended the schedule at the common ancestor", () => {
    expect(blocksUntilDone({ from: 20, to: 47 }, 10, 61, 12)).toEqual([50, 60]);
    expect(blocksUntilDone({ from: 20, to: 47 }, 10, 49, 12)).toEqual([]);
  });

  it("returns null if the contracts are newer than the last multiple", () => {
    expect(nextBlocks(null, 100, 199, 101)).toBeNull();
    expect(nextBlocks({ from: 200, to: 200 }, 100, 250, 101)).toBeNull();
  });

  it("returns every block for an interval of one", () => {
    expect(blocksUntilDone(null, 1, 5, 0)).toEqual([5, 4, 3, 2, 1, 0]);
  });
});
