import { describe, expect, it } from "vitest";
import { poolsProjection } from "../../../../../runtime/domains/pools/projection/index.ts";
import { type ResponseData, servePools } from "../serve-pools.ts";
import {
  allPages,
  api,
  createIndex,
  exchange,
  firstDay,
  head,
  other,
  pairs,
  people,
  secondsPerDay,
  sum,
  swapsOf,
  times,
  tokens,
  toll,
} from "./setup.ts";

/** Tests of exchanges, and of pools that are not indexed to the head. */
export const describeExchanges = (): void => {
  describe("pools that catch up from the stored ledger", () => {
    it("are returned as of the checkpoint", async () => {
      const partial = await createIndex();
      // The checkpoint is at noon of the seventh day, which has trades.
      const checkpoint = times.filter((time) => time < firstDay + 6 * secondsPerDay + secondsPerDay / 2).length - 1;
      for (const { name } of poolsProjection.tables)
        await partial.database.query(`DELETE FROM ${name} WHERE block_number > $1`, [checkpoint]);
      await partial.database.query("UPDATE projection_checkpoints SET block_number = $1 WHERE projection = 'pools'", [checkpoint]);
      const early = await servePools(partial.database, [{ name: "swap", factory: exchange.factory }]);
      const end = (times[checkpoint] ?? 0) + 1;
      const swaps = swapsOf([pairs[0]], end - secondsPerDay, end);
      expect(swaps.length).toBeGreaterThan(0);
      const [item] = (await early.get(`week/xy=k/swap/pools/address/${pairs[0]}/`)).items;
      expect([item.swap_count_24h, item.token_0.volume_in_24h]).toEqual([swaps.length, sum(swaps, "amount0In")]);
      const today = new Date(Math.floor(end / secondsPerDay) * secondsPerDay * 1000).toISOString().replace(".000Z", "Z");
      expect(item.volume_timeseries_30d.at(-1).dt).toBe(today);
      expect((await early.get("week/xy=k/swap/ecosystem/")).items[0].total_swaps_24h).toBe(swapsOf(pairs, end - secondsPerDay, end).length);
      expect((await early.get("week/xy=k/swap/pools/")).items.length).toBeGreaterThan(0);
      expect((await early.get("week/xy=k/swap/health/")).items).toMatchObject([
        { synced_block_height: checkpoint, latest_block_height: head },
      ]);
      await partial.database.query("DELETE FROM projection_checkpoints WHERE projection = 'pools'");
      for (const { name } of poolsProjection.tables) await partial.database.query(`DELETE FROM ${name}`);
      for (const list of ["pools", "tokens", "transactions", "ecosystem"]) {
        expect(await early.request(`week/xy=k/swap/${list}/`), list).toMatchObject({
          status: 503,
          message: `Exchange pools are being rebuilt: no block up to ${head} is included yet. Retry later.`,
        });
      }
      await early.end();
      await partial.drop();
    });
  });

  describe("exchanges", () => {
    it("contain only their own pools", async () => {
      expect(await allPages("week/xy=k/twin/transactions/", 10)).toHaveLength(1);
      const pair = await other.pairOf(tokens[0], tokens[1]);
      expect((await api.get(`week/xy=k/address/${pair}/dex_name/`)).items).toMatchObject([{ dex_name: "twin", swap_fee: 0.003 }]);
      expect((await api.get(`week/xy=k/address/${pairs[0].toUpperCase().replace("X", "x")}/dex_name/`)).items).toMatchObject([
        { dex_name: "swap", factory_contract_address: exchange.factory },
      ]);
      const { items } = await api.get(`week/xy=k/tokens/address/${tokens[0]}/pools/page/0/`);
      expect(items.map((item: ResponseData) => [item.exchange, item.dex_name])).toEqual(
        [
          [pairs[0], "swap"],
          [pairs[2], "swap"],
          [pairs[3], "swap"],
          [pair, "twin"],
        ].sort(),
      );
      expect((await api.get(`week/xy=k/tokens/address/${tokens[0]}/pools/page/0/?dex-name=twin`)).items).toHaveLength(1);
      expect((await api.get(`week/xy=k/address/${people[0]}/pools/page/0/?dex-name=swap&token-address=${toll}`)).items).toHaveLength(1);
    });

    it("are reported as sender_factory_address for their pools' logs", async () => {
      const factoriesOf = async (path: string) =>
        new Set((await api.get(`week/${path}`)).items.map((item: ResponseData) => `${item.sender_address} ${item.sender_factory_address}`));
      const twin = await other.pairOf(tokens[0], tokens[1]);
      expect(await factoriesOf(`events/address/${pairs[0]}/?starting-block=0&page-size=5`)).toEqual(
        new Set([`${pairs[0]} ${exchange.factory}`]),
      );
      expect(await factoriesOf(`events/address/${twin}/?starting-block=0&page-size=5`)).toEqual(new Set([`${twin} ${other.factory}`]));
      expect(await factoriesOf(`events/address/${tokens[0]}/?starting-block=0&page-size=5`)).toEqual(new Set([`${tokens[0]} null`]));
    });

    it("are listed with their checkpoints", async () => {
      expect((await api.get("xy=k/supported_dexes/")).items.map((item: ResponseData) => [item.chain_id, item.dex_name])).toEqual([
        ["31337", "swap"],
        ["31337", "twin"],
      ]);
      const [health] = (await api.get("week/xy=k/swap/health/")).items;
      expect(health).toMatchObject({ synced_block_height: head, latest_block_height: head });
    });

    const unused = `0x${"7".repeat(40)}`;
    it.each([
      ["week/xy=k/unknown/pools/", "configured exchanges: swap, twin"],
      ["week/xy=k/unknown/transactions/", "is not configured on week"],
      ["week/xy=k/unknown/health/", "is not configured"],
      ["week/xy=k/unknown/ecosystem/", "is not configured"],
      ["week/xy=k/unknown/tokens/", "is not configured"],
      [`week/xy=k/unknown/address/${unused}/balances/`, "is not configured"],
      [`week/xy=k/tokens/address/${unused}/pools/page/0/?dex-name=unknown`, "is not configured"],
      [`week/xy=k/address/${unused}/dex_name/`, `Pool ${unused}`],
      [`week/xy=k/swap/pools/address/${unused}/`, `Pool ${unused}`],
      [`week/xy=k/swap/pools/address/${unused}/transactions/`, `Pool ${unused}`],
      [`week/xy=k/swap/tokens/address/${unused}/`, `Token ${unused}`],
      [`week/xy=k/swap/tokens/address/${unused}/view/`, `Token ${unused}`],
      [`week/xy=k/swap/tokens/address/${unused}/transactions/`, `Token ${unused}`],
      [`week/xy=k/tokens/address/${unused}/pools/page/0/`, `Token ${unused}`],
    ])("return 404 for an unknown exchange, pool or token: %s", async (path, message) => {
      const response = await api.request(path);
      expect([response.status, response.message]).toEqual([404, expect.stringContaining(message)]);
    });

    it("return 404 for a pool of another exchange, and empty lists for unknown accounts", async () => {
      const pair = await other.pairOf(tokens[0], tokens[1]);
      expect((await api.request(`week/xy=k/swap/pools/address/${pair}/`)).status).toBe(404);
      expect((await api.get(`week/xy=k/address/${unused}/pools/page/0/`)).pagination).toMatchObject({ total_count: 0, has_more: false });
      expect((await api.get(`week/xy=k/swap/address/${unused}/balances/`)).items).toEqual([]);
      expect((await api.get(`week/xy=k/swap/transactions/?page-number=1000`)).items).toEqual([]);
      expect((await api.request("week/xy=k/swap/transactions/?page-size=0")).status).toBe(400);
    });
  });
};
