import { describe, expect, it } from "vitest";
import {
  anna,
  ben,
  blockOf,
  cleo,
  foldSales,
  fulfilledOrder,
  paintingSale,
  paintings,
  payment,
  router,
  token,
  tokenTransfer,
  unitSale,
  washDaysOf,
} from "./folding.ts";

/** Returns one block per sale. */
const days = (...sales: readonly (readonly [number, ReturnType<typeof paintingSale>])[]) =>
  sales.map(([day, events], position) => blockOf(position + 1, day, events));

describe("a wash trade", () => {
  it("is a self-sale", () => {
    expect(washDaysOf(days([1, paintingSale(anna, anna, 1n)], [2, paintingSale(anna, ben, 2n)]))).toEqual([1]);
  });

  it("includes both sales if two accounts trade the same token twice within thirty days, in either direction", () => {
    expect(washDaysOf(days([1, paintingSale(anna, ben, 1n)], [31, paintingSale(ben, anna, 1n)]))).toEqual([1, 31]);
    expect(washDaysOf(days([1, paintingSale(anna, ben, 1n)], [32, paintingSale(ben, anna, 1n)]))).toEqual([]);
    // The token was transferred back between two sales to the same buyer.
    const repeated = [
      ...days([1, paintingSale(anna, ben, 1n)]),
      blockOf(2, 3, [tokenTransfer(ben, anna, 1n)]),
      blockOf(3, 5, paintingSale(anna, ben, 1n)),
    ];
    expect(washDaysOf(repeated)).toEqual([1, 5]);
    // Each sale in a chain is within thirty days of the previous one.
    expect(
      washDaysOf(days([1, paintingSale(anna, ben, 1n)], [25, paintingSale(ben, anna, 1n)], [50, paintingSale(anna, ben, 1n)])),
    ).toEqual([1, 25, 50]);
  });

  it("is not a sale of another token or between other accounts", () => {
    expect(washDaysOf(days([1, paintingSale(anna, ben, 1n)], [2, paintingSale(ben, anna, 2n)]))).toEqual([]);
    expect(washDaysOf(days([1, paintingSale(anna, ben, 1n)], [2, paintingSale(ben, cleo, 1n)], [3, paintingSale(cleo, ben, 1n)]))).toEqual([
      2, 3,
    ]);
  });

  it("is not caused by another contract's event for the same transfer", () => {
    const duplicate = fulfilledOrder(anna, ben, [token(paintings, 1n)], [payment(1n)], { address: router });
    expect(washDaysOf(days([1, [...paintingSale(anna, ben, 1n), duplicate]]))).toEqual([]);
    expect(washDaysOf(days([1, [duplicate, ...paintingSale(anna, ben, 1n)]]))).toEqual([]);
    // A self-sale is a wash trade on any contract.
    const selfSale = fulfilledOrder(anna, anna, [token(paintings, 1n)], [payment(1n)], { address: router });
    expect(washDaysOf(days([1, [...paintingSale(anna, anna, 1n), selfSale]]))).toEqual([1, 1]);
  });

  it("includes an ERC-1155 sale in the opposite direction and the last sale that it reverses", () => {
    expect(washDaysOf(days([1, unitSale(anna, ben, 1n, 2n)], [2, unitSale(anna, ben, 1n, 3n)]))).toEqual([]);
    const reversed = days([1, unitSale(anna, ben, 1n, 1n)], [2, unitSale(anna, ben, 1n, 1n)], [3, unitSale(ben, anna, 1n, 1n)]);
    expect(washDaysOf(reversed)).toEqual([2, 3]);
    const more = [...reversed, blockOf(9, 4, unitSale(anna, ben, 1n, 1n)), blockOf(10, 5, unitSale(anna, ben, 1n, 1n))];
    expect(washDaysOf(more)).toEqual([2, 3, 4, 5]);
  });

  it("is marked with the block of the later sale that causes it, even with several sales in one block", () => {
    const blocks = [
      blockOf(7, 1, paintingSale(anna, ben, 1n)),
      blockOf(8, 2, [...paintingSale(ben, anna, 1n), ...paintingSale(anna, ben, 1n)]),
    ];
    const { nft_sale_marks, nft_sales } = foldSales(blocks);
    expect(nft_sale_marks.map(({ sale, block_number, day }) => [sale, block_number, day])).toEqual([[7_000_000, 8, 1]]);
    expect(nft_sales.map(({ sale, is_wash }) => [sale, is_wash])).toEqual([
      [7_000_000, false],
      [8_000_000, true],
      [8_000_001, true],
    ]);
  });
});
