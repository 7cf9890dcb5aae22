import { describe, expect, it } from "vitest";
import { createLines } from "../../../runtime/commands/progress.ts";
import { duration, renderBar, renderLine, type Standing } from "../../../runtime/commands/progress-text.ts";
import { createRates } from "../../../runtime/commands/rates.ts";

/** A clock that stands until it is set, in milliseconds. */
const createClock = () => {
  let now = 1_000_000;
  return {
    read: () => now,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
};
const unknown = { donePerSecond: null, rowsPerSecond: null, secondsLeft: null };

describe("rates", () => {
  it("are not known before something was done for a while", () => {
    const clock = createClock();
    const rates = createRates(clock.read);
    expect(rates.of(1_000)).toEqual(unknown);
    rates.note(600, 0);
    expect(rates.of(1_000)).toEqual(unknown);
    clock.pass(100);
    rates.note(610, 50);
    expect(rates.of(1_000)).toEqual(unknown);
  });

  it("count from where the work goes on, not from its beginning", () => {
    const clock = createClock();
    const rates = createRates(clock.read);
    rates.note(600, 0);
    clock.pass(2_000);
    rates.note(700, 5_000);
    // 100 steps and 5,000 rows in 2 s; the other 300 steps take 6 s.
    expect(rates.of(1_000)).toEqual({ donePerSecond: 50, rowsPerSecond: 2_500, secondsLeft: 6 });
    // The head moved: 800 more.
    expect(rates.of(1_800).secondsLeft).toBe(22);
    expect(rates.of(700).secondsLeft).toBe(0);
  });

  it("are those of the last twenty seconds", () => {
    const clock = createClock();
    const rates = createRates(clock.read);
    rates.note(0, 0);
    for (let second = 1; second <= 60; second += 1) {
      clock.pass(1_000);
      // 100 steps a second for 40 s, then 10.
      rates.note(second <= 40 ? second * 100 : 4_000 + (second - 40) * 10, 7);
    }
    expect(rates.of(5_200)).toEqual({ donePerSecond: 10, rowsPerSecond: 7, secondsLeft: 100 });
  });

  it("fall while nothing is done, to 0 after the window, and then there is no end in sight", () => {
    const clock = createClock();
    const rates = createRates(clock.read);
    rates.note(0, 0);
    clock.pass(10_000);
    rates.note(100, 100);
    expect(rates.of(200)).toEqual({ donePerSecond: 10, rowsPerSecond: 10, secondsLeft: 10 });
    clock.pass(6_000);
    // 100 steps in 16 s.
    expect(rates.of(200).donePerSecond).toBe(6.25);
    clock.pass(14_001);
    expect(rates.of(200)).toEqual({ donePerSecond: 0, rowsPerSecond: 0, secondsLeft: null });
  });

  it("stay as they were when the work was done", () => {
    const clock = createClock();
    const rates = createRates(clock.read);
    rates.note(0, 0);
    clock.pass(10_000);
    rates.note(100, 300);
    clock.pass(3_600_000);
    expect(rates.of(100)).toEqual({ donePerSecond: 10, rowsPerSecond: 30, secondsLeft: 0 });
    // More is to be done: the hour counts again.
    expect(rates.of(200).donePerSecond).toBe(0);
  });

  it("are not known while the first batch takes its time", () => {
    const clock = createClock();
    const rates = createRates(clock.read);
    rates.note(0, 0);
    clock.pass(19_000);
    expect(rates.of(100)).toEqual(unknown);
    clock.pass(1_000);
    expect(rates.of(100)).toEqual({ donePerSecond: 0, rowsPerSecond: 0, secondsLeft: null });
  });

  it("begin anew where a reorganisation took steps back", () => {
    const clock = createClock();
    const rates = createRates(clock.read);
    rates.note(0, 0);
    clock.pass(5_000);
    rates.note(500, 500);
    clock.pass(1_000);
    rates.note(490, 0);
    expect(rates.of(1_000)).toEqual(unknown);
    clock.pass(1_000);
    rates.note(500, 20);
    expect(rates.of(1_000)).toEqual({ donePerSecond: 10, rowsPerSecond: 20, secondsLeft: 50 });
  });
});

describe("what is shown of work", () => {
  const standing = (overrides: Partial<Standing> = {}): Standing => ({
    label: "index demo",
    done: 1_200,
    total: 20_000,
    pace: { unit: "blocks", rates: { donePerSecond: 350.4, rowsPerSecond: 4_100, secondsLeft: 53.7 } },
    ...overrides,
  });

  it("are the same figures in a line and in a bar", () => {
    expect(renderLine(standing())).toBe("index demo: 1,200 of 20,000 blocks (6%), 350 blocks/s, 4,100 rows/s, 54 s left");
    expect(renderBar(standing(), 12, 120)).toBe(
      `index demo   █${"░".repeat(29)}   6%  1,200/20,000  350 blocks/s  4,100 rows/s  54 s left`,
    );
  });

  it("are dashes where they are not known, and no time where the work is done", () => {
    expect(renderLine(standing({ pace: { unit: "blocks", rates: unknown } }))).toBe(
      "index demo: 1,200 of 20,000 blocks (6%), - blocks/s, - rows/s, - left",
    );
    const rates = { donePerSecond: 0.25, rowsPerSecond: 0, secondsLeft: 0 };
    expect(renderLine(standing({ done: 20_000, pace: { unit: "blocks", rates } }))).toBe(
      "index demo: 20,000 of 20,000 blocks (100%), 0.3 blocks/s, 0 rows/s",
    );
    expect(renderLine(standing({ label: "tell the story", done: 1, total: 4, pace: null }))).toBe("tell the story: 1 of 4 (25%)");
  });

  it("fit into a narrow terminal by a shorter bar, and never say 100% before the end", () => {
    expect(renderBar(standing(), 10, 85).length).toBeLessThanOrEqual(85);
    expect(renderBar(standing({ done: 19_999 }), 10, 20)).toMatch(/^index demo █{4}░ {2}99% /);
    expect(renderBar(standing({ done: 0, total: 0 }), 10, 20)).toMatch(/█{5} 100%/);
  });

  it("are times in two units", () => {
    expect([0, 0.2, 59.5, 61, 120, 3_600, 3_660, 86_399, 90_061, 40 * 86_400].map(duration)).toEqual([
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
    expect([duration(null), duration(Number.POSITIVE_INFINITY)]).toEqual(["-", "-"]);
  });
});

describe("progress as lines", () => {
  it("is said at first, every two seconds, at the end, and again when the head has moved", () => {
    const clock = createClock();
    const lines: string[] = [];
    const progress = createLines(clock.read, (line) => lines.push(line));
    const report = (done: number, total: number, rows = 10) => progress.report("index one", done, total, { unit: "blocks", rows });
    report(40, 100, 0);
    clock.pass(1_000);
    report(50, 100);
    clock.pass(1_000);
    report(60, 100);
    clock.pass(1_000);
    report(100, 100);
    report(100, 100);
    clock.pass(1_000);
    report(120, 120);
    expect(lines).toEqual([
      "index one: 40 of 100 blocks (40%), - blocks/s, - rows/s, - left",
      "index one: 60 of 100 blocks (60%), 10 blocks/s, 10 rows/s, 4 s left",
      "index one: 100 of 100 blocks (100%), 20 blocks/s, 10 rows/s",
      "index one: 120 of 120 blocks (100%), 20 blocks/s, 13 rows/s",
    ]);
  });

  it("keeps chains and what catches up apart", () => {
    const clock = createClock();
    const lines: string[] = [];
    const progress = createLines(clock.read, (line) => lines.push(line));
    for (const [phase, done] of [
      ["index one", 1],
      ["index two", 5],
      ["catch up names of one", 3],
    ] as const)
      progress.report(phase, done, 10);
    expect(lines).toEqual(["index one: 1 of 10 (10%)", "index two: 5 of 10 (50%)", "catch up names of one: 3 of 10 (30%)"]);
  });

  it("comes ever more seldom, so that days fill no disk", () => {
    const clock = createClock();
    let count = 0;
    const progress = createLines(clock.read, () => (count += 1));
    for (let second = 0; second < 86_400; second += 1, clock.pass(1_000))
      progress.report("index one", second, 100_000, { unit: "blocks", rows: 1 });
    // One in 30 s is 2,880 a day; the first ten minutes have some more.
    expect(count).toBeLessThan(3_000);
    expect(count).toBeGreaterThan(2_800);
  });
});
