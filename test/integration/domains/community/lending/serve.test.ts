import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { parseCsv } from "../../../../support/csv.ts";
import { builtInProtocol } from "../operations.ts";
import { type ServedCommunity, serveCommunity } from "../serve.ts";
import { actionsOf, servedActions } from "./actions.ts";
import { configurationOf, type IndexedLending, startIndexedLending } from "./story.ts";
import { viewsOf } from "./views.ts";

const protocol = builtInProtocol("protocol_01");

let lending: IndexedLending;
let served: ServedCommunity;

beforeAll(async () => {
  lending = await startIndexedLending(protocol, "served lending pools");
  served = await serveCommunity(lending.testDatabase.database, { protocols: [protocol], community: configurationOf(lending.market) });
});
afterAll(async () => {
  await served?.close();
  await lending?.end();
});

const addresses = (items: readonly Readonly<Record<string, unknown>>[]) => items.map(({ pool_address }) => pool_address);

describe("the market operations of lending pools", () => {
  it("return the amounts that the contracts return at the head", async () => {
    const { items } = await served.get("protocol_01/market_data/");
    for (const reserve of lending.market.reserves) {
      const { supplied, variableDebt, stableDebt, available } = await viewsOf(lending.chain).reserveAt(reserve, lending.head);
      expect(items.find(({ pool_address }) => pool_address === reserve.aToken)).toMatchObject({
        total_supply: String(supplied),
        total_borrow: String(variableDebt + stableDebt),
        available_liquidity: String(available),
        block_height: lending.head,
      });
    }
  });

  it("are served under both names of the protocol", async () => {
    const { items, chain_name } = await served.get("protocol_01/markets/");
    expect(chain_name).toBe("test");
    expect(items.length).toBe(lending.market.reserves.length);
    for (const path of ["aave/markets/", "aave/markets", "protocol_01/markets/?chain-name=test"])
      expect((await served.get(path)).items).toEqual(items);
  });

  it("filter by a reserve or a pool with pool-address, and respond with 404 for any other contract", async () => {
    const { pools, reserves, coins } = lending.market;
    const [{ aToken }] = reserves as [(typeof reserves)[0]];
    expect(addresses((await served.get(`protocol_01/market_data/?pool-address=${aToken}`)).items)).toEqual([aToken]);
    const { items } = await served.get(`protocol_01/market_data/?pool-address=${pools[0]?.address}`);
    expect(new Set(addresses(items))).toEqual(new Set(reserves.flatMap((reserve) => (reserve.isV2 ? [] : [reserve.aToken]))));
    expect(await served.request(`protocol_01/market_data/?pool-address=${coins[0]?.address}`)).toMatchObject({ status: 404 });
  });

  it("paginate without gaps or duplicates", async () => {
    const { items } = await served.get("protocol_01/market_data/");
    const pages = await Promise.all([0, 1].map((page) => served.get(`protocol_01/market_data/?page-size=3&page-number=${page}`)));
    expect(pages.map(({ pagination }) => pagination.has_more)).toEqual([true, false]);
    expect(pages.flatMap((page) => page.items)).toEqual(items);
  });

  it("respond with 404 on a chain without pools", async () => {
    expect(await served.request("aave/markets/?chain-name=other")).toMatchObject({ status: 404 });
  });
});

describe("the wallet operations of lending pools", () => {
  it("return the balances that the contracts return at the head, including as CSV", async () => {
    const { people, reserves } = lending.market;
    for (const wallet of people) {
      const { items } = await served.get(`protocol_01/balances/?address=${wallet}`);
      const found = Object.fromEntries(items.map(({ position, pool_address, balance }) => [`${position} ${pool_address}`, balance]));
      expect(found).toEqual(await viewsOf(lending.chain).positionsAt(reserves, wallet, lending.head));
      const [header = [], ...rows] = parseCsv((await served.request(`aave/balances/?address=${wallet}&format=csv`)).text);
      expect(rows.map((row) => row[header.indexOf("balance")])).toEqual(items.map(({ balance }) => balance));
    }
  });

  it("return actions in order across pages", async () => {
    const [wallet] = lending.market.people as [Address];
    const expected = await actionsOf(lending.chain, lending.market, wallet);
    const items = [];
    for (let page = 0; ; page += 1) {
      const response = await served.get(`protocol_01/transactions/?address=${wallet}&page-size=10&page-number=${page}`);
      items.push(...response.items);
      if (!response.pagination.has_more) break;
    }
    expect(servedActions(items)).toEqual(expected);
    expect(items.length).toBeGreaterThan(20);
    const csv = parseCsv((await served.request(`protocol_01/transactions/?address=${wallet}&format=csv&page-size=10`)).text);
    expect(csv.length).toBeGreaterThan(10);
  });

  it("return no items for a wallet without a position, and 400 if the address is missing", async () => {
    const otherWallet = `0x${"12".repeat(20)}`;
    for (const operation of ["balances", "transactions"]) {
      expect((await served.get(`protocol_01/${operation}/?address=${otherWallet}`)).items).toEqual([]);
      expect((await served.request(`protocol_01/${operation}/`)).status).toBe(400);
    }
  });
});
