import { describe, expect, it } from "vitest";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import type { ResponseData } from "../../pools/serve-pools.ts";
import { serveNftMarket } from "../nft-market.ts";
import { api, day, etherPrice, market, testDatabase } from "./setup.ts";

const itemsOf = async (operation: string, query = "days=50", collection: Address = market.art): Promise<Map<string, ResponseData>> => {
  const { items } = await api.get(`nft_market/${collection}/${operation}/?${query}`);
  return new Map(items.map((item: ResponseData) => [item.date, item]));
};

/** Tests of a collection's daily market. */
export const describeCollectionMarket = (): void => {
  describe("the market of a collection", () => {
    it("has an item for each day up to the newest block, newest first", async () => {
      for (const operation of ["sale_count", "volume", "floor_price"]) {
        const { items, address, quote_currency } = await api.get(`nft_market/${market.art.toUpperCase().replace("X", "x")}/${operation}/`);
        expect([address, quote_currency]).toEqual([market.art, "USD"]);
        expect(items.map(({ date }: ResponseData) => date)).toEqual(Array.from({ length: 30 }, (_, back) => day(41 - back)));
      }
    });

    it("counts sales, including wash trades", async () => {
      const counts = await itemsOf("sale_count");
      const countsOn = (number: number) => [counts.get(day(number))?.sale_count, counts.get(day(number))?.wash_sale_count];
      expect([-1, 0, 1, 2, 3, 4, 5, 40, 41].map(countsOn)).toEqual([
        [0, 0],
        [2, 0],
        [3, 1],
        [1, 0],
        [2, 0],
        [0, 0],
        [3, 2],
        [1, 0],
        [0, 0],
      ]);
      const editions = await itemsOf("sale_count", "days=50", market.editions);
      expect([1, 3].map((number) => editions.get(day(number))?.sale_count)).toEqual([1, 2]);
    });

    it("sums the volume at the day's prices", async () => {
      const volumes = await itemsOf("volume");
      const volumesOn = (number: number) => {
        const item = volumes.get(day(number));
        return [item?.volume_native_quote, item?.volume_quote, item?.wash_volume_native_quote, item?.wash_volume_quote];
      };
      expect(volumesOn(0)).toEqual([3, 3 * etherPrice(0), 0, 0]);
      // The two paintings of the bundle cost 0.2 ether and 1 wei; 1,000 coins are a thousand dollars.
      expect(volumesOn(1)[1]).toBeCloseTo(1_000 + 0.2 * etherPrice(1), 9);
      expect(volumesOn(1)[0]).toBeCloseTo(1_000 / etherPrice(1) + 0.2, 12);
      expect(volumesOn(1)[3]).toBe(1_000);
      expect(volumesOn(1)[2]).toBeCloseTo(1_000 / etherPrice(1), 12);
      expect(volumesOn(2)).toEqual([null, null, 0, 0]);
      // One sale is paid in two tokens and has no price.
      expect(volumesOn(3)).toEqual([0.2, 0.2 * etherPrice(3), 0, 0]);
      expect(volumesOn(4)).toEqual([0, 0, 0, 0]);
      expect(volumesOn(5)).toEqual([3.501, 3.501 * etherPrice(5), 3.001, 3.001 * etherPrice(5)]);
      expect(volumes.get(day(0))).toMatchObject({ native_ticker_symbol: "ETH", native_name: "Ether", pretty_volume_quote: "$6,000.00" });
    });

    it("has the cheapest sale in thirty days as its floor price, excluding wash trades", async () => {
      const floors = await itemsOf("floor_price");
      const floorOn = (number: number) => floors.get(day(number))?.floor_price_native_quote;
      expect(floorOn(-1)).toBeNull();
      // 1 ether, until the bundle at 0.1 ether per painting; the sale for 1,000 coins is a wash trade.
      expect([0, 1, 2, 3, 4, 5, 29, 30].map(floorOn)).toEqual([1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]);
      // The day 1 bundle counts up to day 30, the 0.2 ether sale of day 3 up to day 32, the 0.5 ether sale of day 5 up to day 34.
      expect([31, 32, 33, 34, 35, 39, 40, 41].map(floorOn)).toEqual([0.2, 0.2, 0.5, 0.5, null, null, 4, 4]);
      expect(floors.get(day(31))).toMatchObject({ floor_price_quote: 0.2 * etherPrice(31), pretty_floor_price_quote: "$462.00" });
      const editions = await itemsOf("floor_price", "days=50", market.editions);
      expect([1, 3, 31].map((number) => editions.get(day(number))?.floor_price_native_quote)).toEqual([0.1, 0.1, 1]);
    });

    it("is not found (404) for an address that is not a collection", async () => {
      for (const operation of ["sale_count", "volume", "floor_price"]) {
        for (const address of [market.coin, market.accounts[0]]) {
          const { status, message } = await api.request(`nft_market/${address}/${operation}/`);
          expect([status, message]).toEqual([404, `Collection ${address} not found in the index of market.`]);
        }
      }
    });

    it("is unknown if no marketplace is configured", async () => {
      const other = await serveNftMarket(testDatabase.database, market, []);
      const fieldsByOperation: Readonly<Record<string, readonly string[]>> = {
        sale_count: ["sale_count", "wash_sale_count"],
        volume: ["volume_quote", "volume_native_quote", "pretty_volume_quote", "wash_volume_quote", "wash_volume_native_quote"],
        floor_price: ["floor_price_quote", "floor_price_native_quote", "pretty_floor_price_quote"],
      };
      for (const [operation, fields] of Object.entries(fieldsByOperation)) {
        const { items } = await other.get(`nft_market/${market.art}/${operation}/?days=365`);
        expect(items).toHaveLength(365);
        expect(new Set(items.flatMap((item: ResponseData) => fields.map((field) => item[field]))), operation).toEqual(new Set([null]));
      }
      const { items } = await other.get(`address/${market.accounts[1]}/balances_nft/`);
      expect(items.length).toBeGreaterThan(0);
      expect(items.map((item: ResponseData) => [item.floor_price_quote, item.floor_price_native_quote])).toEqual(
        items.map(() => [null, null]),
      );
      await other.end();
    });
  });
};
