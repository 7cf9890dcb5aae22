import { describe, expect, it } from "vitest";
import { createHoldings } from "../../../demo/story/holdings.ts";
import { createRandom } from "../../../demo/story/random.ts";
import { interleaveCalls, planDay } from "../../../demo/story/timeline.ts";
import type { Call } from "../../../demo/story/types.ts";
import type { Address } from "../../../runtime/lib/hex.ts";

const addressOf = (digit: number): Address => `0x${String(digit).repeat(40)}`;
const chapter = (digit: number, length: number): Call[] =>
  Array.from({ length }, (_, index) => ({ from: addressOf(digit), to: addressOf(digit), value: BigInt(index) }));

describe("the story's timeline", () => {
  it("interleaves the calls of chapters and keeps the call order within each chapter", () => {
    const interleaved = interleaveCalls([chapter(1, 50), chapter(2, 50)], createRandom("seed"));
    for (const digit of [1, 2]) {
      const values = interleaved.filter(({ from }) => from === addressOf(digit)).map(({ value }) => Number(value));
      expect(values).toEqual(Array.from({ length: 50 }, (_, index) => index));
    }
    // Interleaved: a call from the second chapter precedes the first chapter's last call.
    expect(interleaved.findIndex(({ from }) => from === addressOf(2))).toBeLessThan(50);
  });

  it("puts each call into exactly one block on its day, at increasing times", () => {
    const calls = chapter(3, 321);
    const blocks = planDay(7, calls);
    expect(blocks.flatMap((block) => block.calls)).toEqual(calls);
    const offsets = blocks.map(({ offsetSeconds }) => offsetSeconds);
    expect(offsets).toEqual([...new Set(offsets)].sort((left, right) => left - right));
    expect(Math.min(...offsets)).toBeGreaterThanOrEqual(7 * 86_400);
    expect(Math.max(...offsets)).toBeLessThan(8 * 86_400);
  });

  it("makes the same choices for the same seed, and different ones for a different seed", () => {
    const draw = (seed: string) => {
      const random = createRandom(seed);
      return Array.from({ length: 100 }, () => random.below(1_000));
    };
    expect(draw("one")).toEqual(draw("one"));
    expect(draw("one")).not.toEqual(draw("two"));
  });
});

describe("the story's holdings", () => {
  it("include received amounts from the next day on, and reject overspending", () => {
    const holdings = createHoldings();
    const [token, owner] = [addressOf(8), addressOf(9)];
    holdings.receive(token, owner, 12_345n);
    expect(holdings.balanceOf(token, owner)).toBe(0n);
    holdings.applyPending();
    expect(holdings.balanceOf(token, owner)).toBe(12_345n);
    // A tenth of 12,345 is 1,234.5; rounded down to three digits, 1,230.
    expect(holdings.spend(token, owner, createRandom("any"), [100, 100])).toBe(1_230n);
    expect(holdings.balanceOf(token, owner)).toBe(12_345n - 1_230n);
    expect(() => holdings.deduct(token, owner, 20_000n)).toThrow(`Cannot spend 20000 of ${token}: ${owner} has 11115`);
  });
});
