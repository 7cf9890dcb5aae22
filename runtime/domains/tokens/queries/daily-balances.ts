import type { BalanceSpanRow } from "./portfolio.ts";

/** The balances of one day; unknown values are null. */
export interface DailyBalance {
  readonly open: string | null;
  readonly high: string | null;
  readonly low: string | null;
  readonly close: string | null;
}

/** How much of a day is indexed: all of it, only its end (the index begins in it), or nothing. */
export type Coverage = "whole" | "end" | "none";

const unknown: DailyBalance = { open: null, high: null, low: null, close: null };

/** The days of one balance, oldest first: each opens with the previous close, the first with `opening`. */
export const dailyBalances = (
  opening: string | null,
  changes: ReadonlyMap<number, readonly Pick<BalanceSpanRow, "high" | "low" | "close">[]>,
  coverage: readonly Coverage[],
): DailyBalance[] => {
  let open = opening;
  return coverage.map((covered, position) => {
    if (covered === "none") return unknown;
    const day = (changes.get(position) ?? []).reduce<DailyBalance>(
      ({ high, low }, change) => ({ open, high: larger(high, change.high), low: smaller(low, change.low), close: change.close }),
      { open, high: open, low: open, close: open },
    );
    open = day.close;
    return covered === "end" ? { ...unknown, close: day.close } : day;
  });
};

/** The larger of two amounts; null if either is unknown. */
const larger = (left: string | null, right: string | null): string | null =>
  left === null || right === null ? null : BigInt(left) > BigInt(right) ? left : right;

const smaller = (left: string | null, right: string | null): string | null =>
  left === null || right === null ? null : BigInt(left) < BigInt(right) ? left : right;
