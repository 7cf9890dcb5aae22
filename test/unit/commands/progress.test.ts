import { describe, expect, it } from "vitest";
import { createLineProgress } from "../../../runtime/commands/progress.ts";
import { formatDuration, renderBar, renderLine, type TaskProgress } from "../../../runtime/commands/progress-text.ts";
import { createRateMeter } from "../../../runtime/commands/rate-meter.ts";

/** A clock in milliseconds that only moves when advanced. */
const createClock = () => {
  let now = 1_000_000;
  return {
    read: () => now,
    advance: (milliseconds: number) => {
      now += milliseconds;
    },
  };
};
const unknownRates = { donePerSecond: null, rowsPerSecond: null, secondsLeft: null };

describe("rates", () => {
  it("are unknown before enough time has passed", () => {
    const clock = createClock();
    const rateMeter = createRateMeter(clock.read);
    expect(rateMeter.get(1_000)).toEqual(unknownRates);
    rateMeter.record(600, 0);
    expect(rateMeter.get(1_000)).toEqual(unknownRates);
    clock.advance(100);
    rateMeter.record(610, 50);
    expect(rateMeter.get(1_000)).toEqual(unknownRates);
  });

  it("count from the first record, not from the beginning of the task", () => {
    const clock = createClock();
    const rateMeter = createRateMeter(clock.read);
    rateMeter.record(600, 0);
    clock.advance(2_000);
    rateMeter.record(700, 5_000);
    // 100 steps and 5,000 rows in 2 s; the other 300 steps take 6 s.
    expect(rateMeter.get(1_000)).toEqual({ donePerSecond: 50, rowsPerSecond: 2_500, secondsLeft: 6 });
    // The head moved by 800 blocks.
    expect(rateMeter.get(1_800).secondsLeft).toBe(22);
    expect(rateMeter.get(700).secondsLeft).toBe(0);
  });

  it("cover the last twenty seconds", () => {
    const clock = createClock();
    const rateMeter = createRateMeter(clock.read);
    rateMeter.record(0, 0);
    for (let second = 1; second <= 60; second += 1) {
      clock.advance(1_000);
      // 100 steps per second for 40 s, then 10.
      rateMeter.record(second <= 40 ? second * 100 : 4_000 + (second - 40) * 10, 7);
    }
    expect(rateMeter.get(5_200)).toEqual({ donePerSecond: 10, rowsPerSecond: 7, secondsLeft: 100 });
  });

  it("fall without progress, and are 0 without an estimate after the window", () => {
    const clock = createClock();
    const rateMeter = createRateMeter(clock.read);
    rateMeter.record(0, 0);
    clock.advance(10_000);
    rateMeter.record(100, 100);
    expect(rateMeter.get(200)).toEqual({ donePerSecond: 10, rowsPerSecond: 10, secondsLeft: 10 });
    clock.advance(6_000);
    // 100 steps in 16 s.
    expect(rateMeter.get(200).donePerSecond).toBe(6.25);
    clock.advance(14_001);
    expect(rateMeter.get(200)).toEqual({ donePerSecond: 0, rowsPerSecond: 0, secondsLeft: null });
  });

  it("stay constant after the task ends", () => {
    const clock = createClock();
    const rateMeter = createRateMeter(clock.read);
    rateMeter.record(0, 0);
    clock.advance(10_000);
    rateMeter.record(100, 300);
    clock.advance(3_600_000);
    expect(rateMeter.get(100)).toEqual({ donePerSecond: 10, rowsPerSecond: 30, secondsLeft: 0 });
    // With more steps to do, the hour without progress is included.
    expect(rateMeter.get(200).donePerSecond).toBe(0);
  });

  it("are unknown during a long first batch", () => {
    const clock = createClock();
    const rateMeter = createRateMeter(clock.read);
    rateMeter.record(0, 0);
    clock.advance(19_000);
    expect(rateMeter.get(100)).toEqual(unknownRates);
    clock.advance(1_000);
    expect(rateMeter.get(100)).toEqual({ donePerSecond: 0, rowsPerSecond: 0, secondsLeft: null });
  });

  it("restart after a reorganisation that removes steps", () => {
    const clock = createClock();
    const rateMeter = createRateMeter(clock.read);
    rateMeter.record(0, 0);
    clock.advance(5_000);
    rateMeter.record(500, 500);
    clock.advance(1_000);
    rateMeter.record(490, 0);
    expect(rateMeter.get(1_000)).toEqual(unknownRates);
    clock.advance(1_000);
    rateMeter.record(500, 20);
    expect(rateMeter.get(1_000)).toEqual({ donePerSecond: 10, rowsPerSecond: 20, secondsLeft: 50 });
  });
});

describe("the text of a task's progress", () => {
  const taskOf = (overrides: Partial<TaskProgress> = {}): TaskProgress => ({
    label: "index demo",
    done: 1_200,
    total: 20_000,
    pace: { unit: "blocks", rates: { donePerSecond: 350.4, rowsPerSecond: 4_100, secondsLeft: 53.7 } },
    ...overrides,
  });

  it("has the same figures in a line and in a bar", () => {
    expect(renderLine(taskOf())).toBe("index demo: 1,200 of 20,000 blocks (6%), 350 blocks/s, 4,100 rows/s, 54 s left");
    expect(renderBar(taskOf(), 12, 120)).toBe(`index demo   █${"░".repeat(29)}   6%  1,200/20,000  350 blocks/s  4,100 rows/s  54 s left`);
  });

  it("has dashes for unknown rates, and no estimate for a completed task", () => {
    expect(renderLine(taskOf({ pace: { unit: "blocks", rates: unknownRates } }))).toBe(
      "index demo: 1,200 of 20,000 blocks (6%), - blocks/s, - rows/s, - left",
    );
    const rates = { donePerSecond: 0.25, rowsPerSecond: 0, secondsLeft: 0 };
    expect(renderLine(taskOf({ done: 20_000, pace: { unit: "blocks", rates } }))).toBe(
      "index demo: 20,000 of 20,000 blocks (100%), 0.3 blocks/s, 0 rows/s",
    );
    expect(renderLine(taskOf({ label: "build the story", done: 1, total: 4, pace: null }))).toBe("build the story: 1 of 4 (25%)");
  });

  it("has a shorter bar on a narrow terminal, and never shows 100% before the end", () => {
    expect(renderBar(taskOf(), 10, 85).length).toBeLessThanOrEqual(85);
    expect(renderBar(taskOf({ done: 19_999 }), 10, 20)).toMatch(/^index demo █{4}░ {2}99% /);
    expect(renderBar(taskOf({ done: 0, total: 0 }), 10, 20)).toMatch(/█{5} 100%/);
  });

  it("has durations in at most two units", () => {
    expect([0, 0.2, 59.5, 61, 120, 3_600, 3_660, 86_399, 90_061, 40 * 86_400].map(formatDuration)).toEqual([
      "0 s",
      "1 s",
      "1 min",
      "1 min 1 s",
      "2 min",
      "1 h",
      "1 h 1 min",
      "23 h 59 min",
      "1 d 1 h",
      "40 d",
    ]);
    expect([formatDuration(null), formatDuration(Number.POSITIVE_INFINITY)]).toEqual(["-", "-"]);
  });
});

describe("progress as lines", () => {
  it("is printed initially, every two seconds, at the end, and again when the head moves", () => {
    const clock = createClock();
    const lines: string[] = [];
    const progress = createLineProgress(clock.read, (line) => lines.push(line));
    const report = (done: number, total: number, rows = 10) => progress.report("index one", done, total, { unit: "blocks", newRows: rows });
    report(40, 100, 0);
    clock.advance(1_000);
    report(50, 100);
    clock.advance(1_000);
    report(60, 100);
    clock.advance(1_000);
    report(100, 100);
    report(100, 100);
    clock.advance(1_000);
    report(120, 120);
    expect(lines).toEqual([
      "index one: 40 of 100 blocks (40%), - blocks/s, - rows/s, - left",
      "index one: 60 of 100 blocks (60%), 10 blocks/s, 10 rows/s, 4 s left",
      "index one: 100 of 100 blocks (100%), 20 blocks/s, 10 rows/s",
      "index one: 120 of 120 blocks (100%), 20 blocks/s, 13 rows/s",
    ]);
  });

  it("distinguishes chains and projections that catch up", () => {
    const clock = createClock();
    const lines: string[] = [];
    const progress = createLineProgress(clock.read, (line) => lines.push(line));
    for (const [task, done] of [
      ["index one", 1],
      ["index two", 5],
      ["catch up names of one", 3],
    ] as const)
      progress.report(task, done, 10);
    expect(lines).toEqual(["index one: 1 of 10 (10%)", "index two: 5 of 10 (50%)", "catch up names of one: 3 of 10 (30%)"]);
  });

  it("is printed at growing intervals, to keep the log small over several days", () => {
    const clock = createClock();
    let count = 0;
    const progress = createLineProgress(clock.read, () => (count += 1));
    for (let second = 0; second < 86_400; second += 1, clock.advance(1_000))
      progress.report("index one", second, 100_000, { unit: "blocks", newRows: 1 });
    // One line per 30 s is 2,880 per day; the first ten minutes have a few more.
    expect(count).toBeLessThan(3_000);
    expect(count).toBeGreaterThan(2_800);
  });
});
