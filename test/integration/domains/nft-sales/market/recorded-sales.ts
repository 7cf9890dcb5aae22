import { describe, expect, it } from "vitest";
import { erc20Item, nativeItem, type OrderItem } from "../../../../../demo/story/seaport-orders.ts";
import { type Address, nativeTokenAddress } from "../../../../../runtime/lib/hex.ts";
import { ether, indexNftMarket, salesIn } from "../nft-market.ts";
import { market, storedSales, testDatabase } from "./setup.ts";

const line = (
  day: number,
  [collection, id, count]: readonly [Address, bigint, bigint],
  seller: Address,
  buyer: Address,
  paid: OrderItem | null,
  isWash = false,
) => {
  const token = paid === null ? null : paid.itemType === 0 ? nativeTokenAddress : paid.token;
  return [day, collection, id, count, seller, buyer, token, paid?.startAmount ?? null, isWash].join(" ");
};

/** Tests of the stored sales. */
export const describeRecordedSales = (): void => {
  describe("sales on Seaport", () => {
    it("are recorded for each sold token at the full price paid for it", () => {
      const { art, editions, coin, junk, weth, accounts } = market;
      const [anna, ben, cleo, , dora] = accounts;
      const painting = (id: bigint) => [art, id, 1n] as const;
      // 0.7 ether and 3 wei for seven units: 10^17 wei each, and one wei more for the first three, which are a painting and two of the five units.
      const tenth = 10n ** 17n;
      expect(storedSales).toEqual([
        line(0, painting(0n), anna, ben, nativeItem(ether)),
        line(0, painting(1n), anna, ben, erc20Item(weth, 2n * ether)),
        line(1, painting(2n), anna, cleo, erc20Item(coin, 1_000n * ether), true),
        line(1, painting(3n), anna, ben, nativeItem(tenth + 1n)),
        line(1, [editions, 7n, 5n], anna, ben, nativeItem(5n * tenth + 2n)),
        line(1, painting(4n), anna, ben, nativeItem(tenth)),
        line(2, painting(7n), anna, cleo, erc20Item(junk, 5n * ether)),
        line(3, [editions, 8n, 3n], anna, ben, nativeItem(3n * ether)),
        line(3, [editions, 8n, 2n], anna, dora, nativeItem(2n * ether)),
        line(3, painting(8n), anna, cleo, null),
        line(3, painting(9n), anna, cleo, nativeItem(ether / 5n)),
        line(5, painting(2n), cleo, anna, nativeItem(3n * ether), true),
        line(5, painting(10n), anna, dora, nativeItem(ether / 2n)),
        line(5, painting(10n), dora, dora, nativeItem(ether / 1_000n), true),
        line(40, painting(1n), ben, anna, nativeItem(4n * ether)),
      ]);
    });

    it("are the same when each block is a batch", async () => {
      const other = await indexNftMarket(market, { batchBlocks: 1, requestBlocks: 1 });
      try {
        expect(await salesIn(other.database)).toEqual(storedSales);
        const sums =
          "SELECT collection, day, marketplace, payment_token, sales, wash_sales, amount, wash_amount, lowest, since_block FROM nft_market_days ORDER BY 1, 2, 3, 4";
        expect(await other.database.query(sums)).toEqual(await testDatabase.database.query(sums));
      } finally {
        await other.drop();
      }
    });
  });
};
