import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { parseCsv } from "../../../../support/csv.ts";
import { builtInProtocol } from "../operations.ts";
import { type ServedCommunity, serveCommunity } from "../serve.ts";
import { contractsOf, type StableIndex, startStableIndex } from "./pool-index.ts";

let pools: StableIndex;
let served: ServedCommunity;

beforeAll(async () => {
  pools = await startStableIndex("served stable pools");
  served = await serveCommunity(pools.testDatabase.database, {
    protocols: [builtInProtocol("protocol_05")],
    community: contractsOf(pools.market),
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

describe("endpoints of protocol 05", () => {
  it("are served under the protocol's number and name, and as CSV", async () => {
    const [wallet] = pools.market.people as [Address];
    for (const path of paths(wallet)) {
      const { items, chain_name } = await served.get(`protocol_05/${path}`);
      expect(chain_name).toBe("test");
      expect(items.length).toBeGreaterThan(2);
      expect((await served.get(`curve/${path.replace("/?", "?")}`)).items).toEqual(items);
      const csv = await served.request(`protocol_05/${path}${path.includes("?") ? "&" : "?"}format=csv`);
      const [header = [], ...rows] = parseCsv(csv.text);
      expect(rows.map((row) => row[header.indexOf("pool_address")])).toEqual(items.map(({ pool_address }) => pool_address));
    }
  });

  it("return all items across pages without gaps or duplicates", async () => {
    const [wallet] = pools.market.people as [Address];
    for (const path of paths(wallet)) {
      const all = await served.get(`protocol_05/${path}`);
      const query = `${path.includes("?") ? "&" : "?"}page-size=2`;
      const found = [];
      for (let number = 0; number * 2 < all.items.length; number += 1) {
        const page = await served.get(`protocol_05/${path}${query}&page-number=${number}`);
        expect(page.pagination.has_more, `${path} ${number}`).toBe((number + 1) * 2 < all.items.length);
        found.push(...page.items);
      }
      expect(found).toEqual(all.items);
    }
  });

  it("respond with 404 for a contract that is not a pool, and without items for a pool in which the wallet has no tokens", async () => {
    const { base, tokens, people } = pools.market;
    const otherWallet = `0x${"12".repeat(20)}`;
    expect((await served.get(`protocol_05/tokens/?address=${people[0]}&pool-address=${base.address}`)).items).toHaveLength(1);
    expect((await served.get(`protocol_05/tokens/?address=${otherWallet}&pool-address=${base.address}`)).items).toEqual([]);
    for (const path of [`tokens/?address=${people[0]}&`, "market_data/?"])
      expect((await served.request(`protocol_05/${path}pool-address=${tokens.dollar}`)).status).toBe(404);
  });

  it("respond without items for an unknown wallet, and with 404 on a chain without pools", async () => {
    for (const operation of ["balances", "transactions", "tokens"])
      expect((await served.get(`protocol_05/${operation}/?address=0x${"12".repeat(20)}`)).items).toEqual([]);
    expect((await served.request("protocol_05/markets/?chain-name=other")).status).toBe(404);
  });
});
