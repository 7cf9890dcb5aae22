import { describe, expect, it } from "vitest";
import { type Coverage, dailyBalances } from "../../../../runtime/domains/tokens/queries/daily-balances.ts";

const change = (high: string | null, low: string | null, close: string | null) => ({ high, low, close });
const wholeDays = (days: number): Coverage[] => Array.from({ length: days }, () => "whole");
const ohlcOf = (days: ReturnType<typeof dailyBalances>) => days.map(({ open, high, low, close }) => [open, high, low, close]);

describe("daily balances", () => {
  it("open with the previous close, and stay unchanged without transfers", () => {
    expect(ohlcOf(dailyBalances("5", new Map([[1, [change("9", "7", "8")]]]), wholeDays(3)))).toEqual([
      ["5", "5", "5", "5"],
      ["5", "9", "5", "8"],
      ["8", "8", "8", "8"],
    ]);
  });

  it("have a day's highest and lowest balance, including its opening", () => {
    expect(ohlcOf(dailyBalances("10", new Map([[0, [change("9", "2", "9"), change("100", "100", "100")]]]), wholeDays(1)))).toEqual([
      ["10", "100", "2", "100"],
    ]);
  });

  it("are unknown if one of the day's balances is unknown, and known again from the next opening", () => {
    expect(ohlcOf(dailyBalances(null, new Map([[0, [change("4", "3", "4")]]]), wholeDays(2)))).toEqual([
      [null, null, null, "4"],
      ["4", "4", "4", "4"],
    ]);
    expect(ohlcOf(dailyBalances("4", new Map([[0, [change(null, null, "6")]]]), wholeDays(1)))).toEqual([["4", null, null, "6"]]);
  });

  it("are unknown before the first indexed block, and have only the close of its day", () => {
    expect(ohlcOf(dailyBalances("5", new Map([[1, [change("9", "1", "7")]]]), ["none", "end", "whole"]))).toEqual([
      [null, null, null, null],
      [null, null, null, "7"],
      ["7", "7", "7", "7"],
    ]);
  });
});
