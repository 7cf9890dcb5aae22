import { describe, expect, it } from "vitest";
import {
  anna,
  ben,
  blockOf,
  cleo,
  filled,
  foldSales,
  moved,
  paid,
  router,
  soldUnits,
  soldView,
  token,
  views,
  washDaysOf,
} from "./folding.ts";

/** Returns one block per sale. */
const days = (...sales: readonly (readonly [number, ReturnType<typeof soldView>])[]) =>
  sales.map(([day, returned], position) => blockOf(position + 1, day, returned));

describe("a wash trade", () => {
  it("is a sale to oneself", () => {
    expect(washDaysOf(days([1, soldView(anna, anna, 1n)], [2, soldView(anna, ben, 2n)]))).toEqual([2 - 1]);
  });

  it("is each of two sales of a token between the same two accounts within thirty days, in either direction", () => {
    expect(washDaysOf(days([1, soldView(anna, ben, 1n)], [31, soldView(ben, anna, 1n)]))).toEqual([1, 31]);
    expect(washDaysOf(days([1, soldView(anna, ben, 1n)], [32, soldView(ben, anna, 1n)]))).toEqual([]);
    // The token was transferred back between two sales to the same buyer.
    const again = [...days([1, soldView(anna, ben, 1n)]), blockOf(2, 3, [moved(ben, anna, 1n)]), blockOf(3, 5, soldView(anna, ben, 1n))];
    expect(washDaysOf(again)).toEqual([1, 5]);
    // A chain of sales, each within thirty days of the previous one.
    expect(washDaysOf(days([1, soldView(anna, ben, 1n)], [25, soldView(ben, anna, 1n)], [50, soldView(anna, ben, 1n)]))).toEqual([
      1, 25, 50,
    ]);
  });

  it("is not a sale of another token or between other accounts", () => {
    expect(washDaysOf(days([1, soldView(anna, ben, 1n)], [2, soldView(ben, anna, 2n)]))).toEqual([]);
    expect(washDaysOf(days([1, soldView(anna, ben, 1n)], [2, soldView(ben, cleo, 1n)], [3, soldView(cleo, ben, 1n)]))).toEqual([2, 3]);
  });

  it("is not caused by another contract's event for the same transfer", () => {
    const duplicate = filled(anna, ben, [token(views, 1n)], [paid(1n)], { address: router });
    expect(washDaysOf(days([1, [...soldView(anna, ben, 1n), duplicate]]))).toEqual([]);
    expect(washDaysOf(days([1, [duplicate, ...soldView(anna, ben, 1n)]]))).toEqual([]);
    // A sale to oneself is a wash trade on any contract.
    const own = filled(anna, anna, [token(views, 1n)], [paid(1n)], { address: router });
    expect(washDaysOf(days([1, [...soldView(anna, anna, 1n), own]]))).toEqual([1, 1]);
  });

  it("of an edition is a sale in the opposite direction, together with the last sale that it reverses", () => {
    expect(washDaysOf(days([1, soldUnits(anna, ben, 1n, 2n)], [2, soldUnits(anna, ben, 1n, 3n)]))).toEqual([]);
    const back = days([1, soldUnits(anna, ben, 1n, 1n)], [2, soldUnits(anna, ben, 1n, 1n)], [3, soldUnits(ben, anna, 1n, 1n)]);
    expect(washDaysOf(back)).toEqual([2, 3]);
    const more = [...back, blockOf(9, 4, soldUnits(anna, ben, 1n, 1n)), blockOf(10, 5, soldUnits(anna, ben, 1n, 1n))];
    expect(washDaysOf(more)).toEqual([2, 3, 4, 5]);
  });

  it("that a later sale causes is marked with that sale's block, also with several sales in one block", () => {
    const blocks = [blockOf(7, 1, soldView(anna, ben, 1n)), blockOf(8, 2, [...soldView(ben, anna, 1n), ...soldView(anna, ben, 1n)])];
    const { nft_sale_marks, nft_sales } = foldSales(blocks);
    expect(nft_sale_marks.map(({ sale, block_number, day }) => [sale, block_number, day])).toEqual([[7_000_000, 8, 1]]);
    expect(nft_sales.map(({ sale, is_wash }) => [sale, is_wash])).toEqual([
      [7_000_000, false],
      [8_000_000, true],
      [8_000_001, true],
    ]);
  });
});
