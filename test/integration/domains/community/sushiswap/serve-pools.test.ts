import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { parseCsv } from "../../../../support/csv.ts";
import { builtInProtocol } from "../operations.ts";
import { type ServedCommunity, serveCommunity } from "../serve.ts";
import { type PoolIndex, startPoolIndex } from "./pool-index.ts";

let pools: PoolIndex;
let served: ServedCommunity;

beforeAll(async () => {
  pools = await startPoolIndex("served pools");
  served = await serveCommunity(pools.testDatabase.database, {
    protocols: [builtInProtocol("protocol_07")],
    community: { protocol_07: { factory: [pools.market.plain.factory, pools.market.taxed.factory] } },
  });
}, 120_000);
afterAll(async () => {
  await served?.close();
  await pools?.end();
});

const paths = (wallet: Address): string[] => [
  "market_data/",
  "markets/",
  ...["balances", "transactions", "tokens"].map((operation) => `${operation}/?address=${wallet}`),
];

describe("endpoints of protocol 07", () => {
  it("are served under the protocol's number and name, and as CSV", async () => {
    const [wallet] = pools.market.people as [Address];
    for (const path of paths(wallet)) {
      const { items, chain_name } = await served.get(`protocol_07/${path}`);
      expect(chain_name).toBe("test");
      expect(items.length).toBeGreaterThan(2);
      expect((await served.get(`sushiswap/${path.replace("/?", "?")}`)).items).toEqual(items);
      const csv = await served.request(`protocol_07/${path}${path.includes("?") ? "&" : "?"}format=csv`);
      const [header = [], ...rows] = parseCsv(csv.text);
      expect(rows.map((row) => row[header.indexOf("pool_address")])).toEqual(items.map(({ pool_address }) => pool_address));
    }
  });

  it("return all items across pages without gaps or duplicates", async () => {
    const [wallet] = pools.market.people as [Address];
    for (const path of paths(wallet)) {
      const all = await served.get(`protocol_07/${path}`);
      const query = `${path.includes("?") ? "&" : "?"}page-size=2`;
      const found = [];
      for (let number = 0; number * 2 < all.items.length; number += 1) {
        const page = await served.get(`protocol_07/${path}${query}&page-number=${number}`);
        expect(page.pagination.has_more, `${path} ${number}`).toBe((number + 1) * 2 < all.items.length);
        found.push(...page.items);
      }
      expect(found).toEqual(all.items);
    }
  });

  it("respond with 404 for a contract that is not a pool, and without items for a pool in which the wallet has no tokens", async () => {
    const { market } = pools;
    const [wallet, pool] = [market.people[0] as Address, market.pools[0] as Address];
    const otherWallet = `0x${"12".repeat(20)}`;
    expect((await served.get(`protocol_07/tokens/?address=${wallet}&pool-address=${pool}`)).items).toHaveLength(1);
    expect((await served.get(`protocol_07/tokens/?address=${otherWallet}&pool-address=${pool}`)).items).toEqual([]);
    expect((await served.get(`protocol_07/market_data/?pool-address=${pool}`)).items).toHaveLength(1);
    for (const path of [`tokens/?address=${wallet}&`, "market_data/?"]) {
      const message = `Pool ${market.tokens.gold} of protocol_07 not found in the index of test.`;
      expect(await served.request(`protocol_07/${path}pool-address=${market.tokens.gold}`)).toMatchObject({ status: 404, message });
    }
  });

  it("respond without items for an unknown wallet, and with 404 on a chain without the exchange", async () => {
    for (const operation of ["balances", "transactions", "tokens"])
      expect((await served.get(`protocol_07/${operation}/?address=0x${"12".repeat(20)}`)).items).toEqual([]);
    expect((await served.request("protocol_07/markets/?chain-name=other")).status).toBe(404);
  });

  it("return data as of the pools projection's checkpoint while the projection is rebuilt", async () => {
    const { testDatabase, head } = pools;
    const setCheckpoint = (block: number) =>
      testDatabase.database.query("UPDATE projection_checkpoints SET block_number = $1 WHERE projection = 'pools'", [block]);
    await setCheckpoint(head - 3);
    const { items } = await served.get("protocol_07/market_data/");
    await setCheckpoint(head);
    expect(new Set(items.map(({ block_height }) => block_height))).toEqual(new Set([head - 3]));
  });
});
