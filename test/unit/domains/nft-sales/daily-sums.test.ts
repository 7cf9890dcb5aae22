import { describe, expect, it } from "vitest";
import { anna, ben, blockOf, foldSales, fulfilledOrder, paintings, payment, token, tokenTransfer } from "./folding.ts";

describe("daily sums", () => {
  it("have a current row and a row per ended period, to roll back blocks", () => {
    const sale = (tokenId: bigint, price: bigint) => [
      tokenTransfer(anna, ben, tokenId),
      fulfilledOrder(anna, ben, [token(paintings, tokenId)], [payment(price)]),
    ];
    const blocks = [
      blockOf(5, 1, [...sale(1n, 10n), ...sale(2n, 8n)]),
      blockOf(7, 1, sale(3n, 20n)),
      blockOf(9, 1, sale(4n, 4n)),
      blockOf(11, 2, sale(5n, 1n)),
    ];
    for (const size of [4, 1, 2]) {
      const { nft_market_days, nft_market_day_periods } = foldSales(blocks, size);
      const last = new Map(nft_market_days.map((row) => [row.day, row]));
      expect([...last.values()].map(({ day, since_block, sales, amount, lowest }) => [day, since_block, sales, amount, lowest])).toEqual([
        [1, 9, 4, 42n, "4"],
        [2, 11, 1, 1n, "1"],
      ]);
      expect(
        nft_market_day_periods.map(({ from_block, to_block, sales, amount, lowest }) => [from_block, to_block, sales, amount, lowest]),
      ).toEqual([
        [5, 6, 2, 18n, "8"],
        [7, 8, 3, 38n, "8"],
      ]);
    }
  });
});
