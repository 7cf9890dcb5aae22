import { describe, expect, it } from "vitest";
import { bytes } from "../../../../../../runtime/database/codecs.ts";
import { timeOf } from "../../operations.ts";
import { eventsOf } from "../logs.ts";
import { chain, depositEvent, head, heights, inDollars, itemsOf, pools, shared, testDatabase, usedAt, withdrawEvent } from "./setup.ts";

/** Tests of market data and stored readings. */
export const describeMarketData = (): void => {
  describe("market data of protocol 09", () => {
    it("equals what the pools' views return at the height of their readings", async () => {
      for (const height of heights()) {
        const found = await itemsOf("market_data", { height });
        for (const pool of pools.slice(0, 2)) {
          const block = await usedAt(pool, height);
          if (block === null) throw new Error(`${pool} was not used by block ${height}`);
          const [value, shares] = [
            await shared.view("SharePool", pool, "totalValue", [], block),
            await shared.view("SharePool", pool, "totalSupply", [], block),
          ];
          expect(value).toBeGreaterThan(0n);
          const item = found.find(({ pool_address }) => pool_address === pool);
          expect(item, `${pool} at ${height}`).toMatchObject({
            asset_address: shared.token,
            total_supply: String(value),
            lp_token_address: pool,
            lp_token_total_supply: String(shares),
            block_height: block,
            total_borrow: null,
            borrow_rate: null,
          });
          expect(item?.total_value_locked_quote).toBeCloseTo(inDollars(value), 9);
        }
      }
    });

    it("uses pricePerShare()'s annualised growth since the first reading as its supply rate", async () => {
      for (const pool of pools.slice(0, 2)) {
        const [item] = await itemsOf("market_data", { height: head, pool });
        const [first] = await eventsOf(chain, [pool], depositEvent);
        const blocks = [first?.block ?? 0, (await usedAt(pool, head)) ?? 0];
        const [before = 0n, after = 0n] = await Promise.all(
          blocks.map((block) => shared.view("SharePool", pool, "pricePerShare", [], block)),
        );
        const [from = 0, to = 0] = await Promise.all(blocks.map((block) => timeOf(chain, block)));
        expect(after).toBeGreaterThan(before);
        const expected = ((Number(after) / Number(before) - 1) * 365 * 86_400) / (to - from);
        expect(item?.supply_rate as number).toBeCloseTo(expected, 9);
      }
    });

    it("is restricted to one pool by its address, and empty for any other contract", async () => {
      expect((await itemsOf("market_data", { height: head, pool: pools[1] })).map(({ pool_address }) => pool_address)).toEqual([pools[1]]);
      expect(await itemsOf("market_data", { height: head, pool: shared.token })).toEqual([]);
    });

    it("contains pools whose views revert or return the largest number", async () => {
      const found = (await itemsOf("market_data", { height: head })).filter(({ asset_address }) => asset_address !== shared.token);
      const largest = String(2n ** 256n - 1n);
      expect(found.map(({ total_supply }) => total_supply).sort()).toEqual([largest, null].sort());
      for (const item of found) expect(item).toMatchObject({ asset_address: null, total_value_locked_quote: null, supply_rate: null });
      const skipped = await testDatabase.database.query("SELECT table_name, reason FROM cq_protocol_09.skipped");
      expect(skipped).toEqual(Array(2).fill({ table_name: "deposits", reason: "Expected 64 bytes of data, found 32" }));
    });
  });

  describe("the tables of protocol 09", () => {
    it("have one reading for each block in which a pool was used", async () => {
      const [pool] = pools;
      const used = await Promise.all([depositEvent, withdrawEvent].map((event) => eventsOf(chain, [pool], event)));
      const rows = await testDatabase.database.query<{ block_number: number; assets: string }>(
        "SELECT block_number, assets FROM cq_protocol_09.share_price WHERE contract = $1 ORDER BY block_number",
        [bytes(pool)],
      );
      const blocks = new Set(used.flat().map(({ block }) => block));
      expect(rows.map(({ block_number }) => block_number)).toEqual([...blocks].sort((left, right) => left - right));
      expect(rows.length).toBeGreaterThan(5);
      for (const { block_number, assets } of rows)
        expect(assets, `at ${block_number}`).toBe(String(await shared.view("SharePool", pool, "pricePerShare", [], block_number)));
    });
  });
};
