import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../../demo/story/random.ts";
import { startTestChain, type TestChain } from "../../../../support/chain.ts";
import { parseCsv } from "../../../../support/csv.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { builtInProtocol } from "../operations.ts";
import { type ServedCommunity, serveCommunity } from "../serve.ts";
import { type CommunityIndex, startCommunityIndex } from "../support.ts";
import { type ShareMarket, startShareMarket } from "./market.ts";

const protocols = ["protocol_09", "protocol_10"].map(builtInProtocol);
const random = createRandom("served share vaults");
let chain: TestChain;
let market: ShareMarket;
let testDatabase: TestDatabase;
let index: CommunityIndex;
let served: ServedCommunity;

beforeAll(async () => {
  chain = await startTestChain();
  market = await startShareMarket(chain);
  testDatabase = await createTestDatabase();
  const { community } = market;
  index = await startCommunityIndex(chain, testDatabase.database, { protocols, community });
  for (let block = 0; block < 10; block += 1) {
    await chain.send(...Array.from({ length: 15 }, () => market.randomTransaction(random)));
    await chain.mine();
  }
  await index.sync();
  served = await serveCommunity(testDatabase.database, { protocols, community });
});
afterAll(async () => {
  await served?.close();
  await index?.end();
  await testDatabase?.drop();
  await chain?.stop();
});

describe("the endpoints of protocols 09 and 10", () => {
  it.each([
    ["protocol_09", "vesper", ["market_data"], 1],
    ["protocol_10", "yearn", ["market_data", "markets"], 2],
  ])("return rows for %s under its number and the name %s", async (id, name, lists, vaultCount) => {
    const [wallet] = market.shared.people;
    for (const operation of lists) {
      const { items } = await served.get(`${id}/${operation}/`);
      expect(items.length).toBe(vaultCount);
      expect((await served.get(`${name}/${operation}`)).items).toEqual(items);
    }
    for (const operation of ["balances", "transactions"]) {
      const { items } = await served.get(`${id}/${operation}/?address=${wallet}`);
      expect(items.length).toBeGreaterThan(0);
      expect((await served.get(`${name}/${operation}?address=${wallet}`)).items).toEqual(items);
    }
  });

  it("have the values that the contracts return", async () => {
    const { shared, pool, strategy } = market;
    const head = await chain.head();
    const [item] = (await served.get("protocol_09/market_data/")).items;
    const height = item?.block_height as number;
    expect(item?.total_supply).toBe(String(await shared.view("SharePool", pool, "totalValue", [], height)));
    const { items } = await served.get(`protocol_10/market_data/?pool-address=${strategy}`);
    expect(items.length).toBe(1);
    expect(items[0]?.block_height).toBeLessThanOrEqual(head);
    const assets = await shared.view("StrategyVault", strategy, "totalAssets", [], items[0]?.block_height as number);
    expect(items[0]?.total_supply).toBe(String(assets));
  });

  it.each(["protocol_09", "protocol_10"])("return all items of %s across pages without gaps or duplicates", async (id) => {
    const [wallet] = market.shared.people;
    const path = `${id}/transactions/?address=${wallet}`;
    const all = await served.get(`${path}&page-size=100`);
    const pages = await Promise.all([0, 1, 2].map((page) => served.get(`${path}&page-size=2&page-number=${page}`)));
    expect(pages.flatMap(({ items }) => items)).toEqual(all.items.slice(0, 6));
    expect(pages[0]?.pagination.has_more).toBe(true);
  });

  it.each(["protocol_09", "protocol_10"])("return the same rows of %s as CSV", async (id) => {
    const { items } = await served.get(`${id}/market_data/`);
    const [header = [], ...rows] = parseCsv((await served.request(`${id}/market_data/?format=csv`)).text);
    for (const field of ["pool_address", "total_supply", "lp_token_total_supply"])
      expect(rows.map((row) => row[header.indexOf(field)])).toEqual(items.map((item) => item[field]));
  });

  it.each(["protocol_09", "protocol_10"])(
    "return no items of %s for an unknown wallet, and respond with 404 for an unknown pool",
    async (id) => {
      const unknown = market.shared.token;
      for (const operation of ["balances", "transactions"])
        expect((await served.get(`${id}/${operation}/?address=${unknown}`)).items).toEqual([]);
      expect(await served.request(`${id}/market_data/?pool-address=${unknown}`)).toMatchObject({
        status: 404,
        message: `Pool ${unknown} of ${id} not found in the index of test.`,
      });
    },
  );
});
