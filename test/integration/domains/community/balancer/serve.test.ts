import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../../demo/story/random.ts";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain } from "../../../../support/chain.ts";
import { parseCsv } from "../../../../support/csv.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { builtInProtocol } from "../operations.ts";
import { type ServedCommunity, serveCommunity } from "../serve.ts";
import { type CommunityIndex, startCommunityIndex } from "../support.ts";
import { type PoolMarket, startPoolMarket } from "./market.ts";

const random = createRandom("served pools");
const protocols = [builtInProtocol("protocol_02")];

let chain: TestChain;
let market: PoolMarket;
let testDatabase: TestDatabase;
let index: CommunityIndex;
let served: ServedCommunity;
let owner: Address;

beforeAll(async () => {
  chain = await startTestChain();
  market = await startPoolMarket(chain);
  [owner] = market.people as [Address];
  for (let block = 0; block < 3; block += 1) {
    await chain.send(...Array.from({ length: 8 }, () => market.randomTransaction(random)));
    await chain.mine();
  }
  testDatabase = await createTestDatabase();
  const community = { protocol_02: { vault: [market.vault] } };
  index = await startCommunityIndex(chain, testDatabase.database, { protocols, community });
  await index.sync();
  served = await serveCommunity(testDatabase.database, { protocols, community });
});
afterAll(async () => {
  await served?.close();
  await index?.end();
  await testDatabase?.drop();
  await chain?.stop();
});

const paths = (): string[] => [
  "market_data/?",
  "markets/?",
  `balances/?address=${owner}&`,
  `transactions/?address=${owner}&`,
  `tokens/?address=${owner}&`,
];

describe("the endpoints of protocol 02", () => {
  it("return the same items under both names of the protocol, without a trailing slash, and with chain-name", async () => {
    for (const path of paths()) {
      const { items, chain_name } = await served.get(`protocol_02/${path}`);
      expect([items.length > 0, chain_name], path).toEqual([true, "test"]);
      for (const same of [`balancer/${path}`, `balancer/${path.replace("/?", "?")}`, `protocol_02/${path}chain-name=test`])
        expect((await served.get(same)).items, same).toEqual(items);
    }
  });

  it("return all items across pages without gaps or duplicates", async () => {
    for (const path of paths()) {
      const { items } = await served.get(`protocol_02/${path}`);
      const pages = [];
      for (let number = 0; number < items.length; number += 1) {
        const page = await served.get(`protocol_02/${path}page-size=1&page-number=${number}`);
        expect(page.pagination.has_more).toBe(number < items.length - 1);
        pages.push(...page.items);
      }
      expect(pages, path).toEqual(items);
    }
  });

  it("return the same rows as CSV", async () => {
    for (const path of paths()) {
      const { items } = await served.get(`protocol_02/${path}`);
      const [header = [], ...rows] = parseCsv((await served.request(`protocol_02/${path}format=csv`)).text);
      const column = header.indexOf("pool_address");
      expect([...new Set(rows.map((row) => row[column]))], path).toEqual([...new Set(items.map(({ pool_address }) => pool_address))]);
    }
  });

  it("have no items for an unknown wallet, and respond with 404 for an unknown pool or chain, and 400 without an address", async () => {
    for (const operation of ["balances", "transactions", "tokens"]) {
      expect((await served.get(`protocol_02/${operation}/?address=0x${"12".repeat(20)}`)).items).toEqual([]);
      expect((await served.request(`protocol_02/${operation}/`)).status).toBe(400);
    }
    for (const path of ["market_data/?", `tokens/?address=${owner}&`])
      expect(await served.request(`balancer/${path}pool-address=${market.vault}`)).toMatchObject({
        status: 404,
        message: `Pool ${market.vault} of protocol_02 not found in the index of test.`,
      });
    expect((await served.request("balancer/markets/?chain-name=other")).status).toBe(404);
  });
});
