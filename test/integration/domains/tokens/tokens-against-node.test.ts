import { pino } from "pino";
import supertest from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../../../../runtime/app.ts";
import { type ChainConfig, chainConfigSchema, configSchema } from "../../../../runtime/config/config.ts";
import type { Database } from "../../../../runtime/database/database.ts";
import { createKeys } from "../../../../runtime/http/keys.ts";
import { type Address, nativeTokenAddress } from "../../../../runtime/lib/hex.ts";
import { artifacts, type TestChain } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import type { Story } from "../../../support/indexer/story-builder.ts";
import { chainOf, createTestIndexer } from "../../../support/indexer/support.ts";
import { blocksOfDays, contractCall, firstDay, mineWeek, secondsPerDay, type Week } from "./week.ts";

// The test chain covers a week in which one day has no blocks. Responses are compared with its node, which has the state of every block.
const lastDay = firstDay + (blocksOfDays.length - 1) * secondsPerDay;
const now = () => new Date((lastDay + 20 * 3_600) * 1000);

interface TestApi {
  get(path: string): Promise<ResponseData>;
  end(): Promise<void>;
}
// biome-ignore lint/suspicious/noExplicitAny: responses are validated against the catalog; a test reads the fields that it expects
type ResponseData = any;

let chain: TestChain;
let story: Story;
let owners: readonly Address[];
let head: number;
let times: readonly number[];
let readNumbers: Week["readNumbers"];
let nodeBalances: Week["nodeBalances"];
let api: TestApi;
const databases: TestDatabase[] = [];

const serve = async (database: Database): Promise<TestApi> => {
  const settings: ChainConfig = {
    ...chainConfigSchema.parse({ name: "week", id: 31337, rpc: chain.url, groups: ["historical"] }),
    id: 31337,
  };
  const { key } = await createKeys(database).create({ label: "test" });
  const limits = { requestsPerSecond: 100_000 };
  const logger = pino({ level: "silent" });
  const http = createApp({ config: configSchema.parse({ limits }), chains: [settings], database, logger, validate: "strict", now });
  return {
    get: async (path) => {
      const response = await supertest(http.listener).get(`/v1/week/${path}`).set("Authorization", `Bearer ${key}`);
      expect(response.status, `${path}: ${response.body.error_message}`).toBe(200);
      return response.body.data;
    },
    end: () => http.close(),
  };
};

const indexFrom = async (from: number): Promise<Database> => {
  const testDatabase = await createTestDatabase();
  databases.push(testDatabase);
  const indexer = await createTestIndexer(chain.url, testDatabase.database, { chain: chainOf({ from, wrappedNative: [story.weth] }) });
  await indexer.runToHead(head);
  await indexer.close();
  return testDatabase.database;
};

beforeAll(async () => {
  ({ chain, story, owners, head, times, readNumbers, nodeBalances } = await mineWeek());
  api = await serve(await indexFrom(0));
});
afterAll(async () => {
  await api?.end();
  await Promise.all(databases.map((testDatabase) => testDatabase.drop()));
  await chain?.stop();
});

const balancesOfItems = (items: ResponseData): Map<Address, bigint> =>
  new Map(items.map((item: ResponseData) => [item.contract_address, BigInt(item.balance)]));
const allHeights = () => Array.from({ length: head + 1 }, (_, height) => height);
const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

describe("balances of an indexed week", () => {
  it("equal the node's after every block", async () => {
    for (const owner of owners) {
      for (const height of allHeights()) {
        const { items } = await api.get(`address/${owner}/historical_balances/?block-height=${height}`);
        const balances = balancesOfItems(items);
        for (const [token, balance] of await nodeBalances(owner, height)) {
          // A genesis balance is indexed once it is touched; a token that the owner never held is not listed.
          if (token === nativeTokenAddress && !balances.has(token)) continue;
          expect(balances.get(token) ?? 0n, `${token} of ${owner} at ${height}`).toBe(balance);
        }
      }
    }
  });

  it("equal the node's at the last block of each day", async () => {
    for (const day of Array.from({ length: blocksOfDays.length }, (_, position) => firstDay + position * secondsPerDay)) {
      const last = times.filter((time) => time < day + secondsPerDay).length - 1;
      for (const owner of owners) {
        const { items } = await api.get(`address/${owner}/historical_balances/?date=${dayOf(day)}`);
        expect(items.every((item: ResponseData) => item.block_height === last)).toBe(true);
        const balances = balancesOfItems(items);
        for (const [token, balance] of await nodeBalances(owner, last)) {
          expect(balances.get(token) ?? (token === nativeTokenAddress ? balance : 0n)).toBe(balance);
        }
      }
    }
  });

  it("determine the same holders, ranks and counts for each token as the node's balances after every block", async () => {
    const allOwners = [...new Set([...owners, ...chain.accounts, story.erc20, story.erc721, story.erc1155])];
    for (const height of allHeights()) {
      const balances = await Promise.all(allOwners.map((owner) => nodeBalances(owner, height)));
      for (const token of [story.erc20, story.weth, story.erc721, story.erc1155]) {
        const expected = allOwners
          .map((owner, position) => ({ owner, balance: balances[position]?.get(token) ?? 0n }))
          .filter(({ balance }) => balance > 0n)
          .sort((left, right) =>
            left.balance === right.balance ? (left.owner < right.owner ? -1 : 1) : left.balance > right.balance ? -1 : 1,
          );
        const { items, pagination } = await api.get(`tokens/${token}/token_holders_v2/?block-height=${height}`);
        expect(
          items.map((item: ResponseData) => ({ owner: item.address, balance: BigInt(item.balance) })),
          `${token} at ${height}`,
        ).toEqual(expected);
        expect(pagination.total_count).toBe(expected.length);
        const sum = expected.reduce((total, { balance }) => total + balance, 0n);
        expect(new Set(items.map((item: ResponseData) => BigInt(item.total_supply)))).toEqual(new Set(expected.length === 0 ? [] : [sum]));
      }
    }
    const supplies = await readNumbers([
      contractCall(story.erc20, artifacts.erc20(), "totalSupply", [], head),
      contractCall(story.weth, artifacts.weth(), "totalSupply", [], head),
      contractCall(story.erc721, artifacts.erc721(), "totalSupply", [], head),
    ]);
    for (const [position, token] of [story.erc20, story.weth, story.erc721].entries()) {
      expect(BigInt((await api.get(`tokens/${token}/token_holders_v2/`)).items[0].total_supply)).toBe(supplies[position]);
    }
  });

  it("determine the same open, high, low and close for each day as the node's balances", async () => {
    for (const owner of owners) {
      const { items } = await api.get(`address/${owner}/portfolio_v2/?days=${blocksOfDays.length}`);
      const history = await Promise.all(allHeights().map((height) => nodeBalances(owner, height)));
      for (const token of [nativeTokenAddress, story.erc20, story.weth]) {
        const item = items.find(({ contract_address }: ResponseData) => contract_address === token);
        const expected = blocksOfDays
          .map((_, day) => {
            const start = firstDay + day * secondsPerDay;
            const before = times.filter((time) => time < start).length - 1;
            const end = times.filter((time) => time < start + secondsPerDay).length - 1;
            const values = history.slice(before, end + 1).map((balances) => balances.get(token) ?? 0n);
            const sorted = [...values].sort((left, right) => (left < right ? -1 : 1));
            return { day: dayOf(start), open: values[0], high: sorted.at(-1), low: sorted[0], close: values.at(-1) };
          })
          .reverse();
        const actual = item?.holdings.map(({ timestamp, open, high, low, close }: ResponseData) => ({
          day: timestamp.slice(0, 10),
          open: BigInt(open.balance),
          high: BigInt(high.balance),
          low: BigInt(low.balance),
          close: BigInt(close.balance),
        }));
        if (actual === undefined) expect(expected.every(({ high }) => high === 0n || token === nativeTokenAddress)).toBe(true);
        else expect(actual, `${token} of ${owner}`).toEqual(expected);
      }
    }
  });

  it("equal the node's in an index that starts mid-week, whose holder count and supply are unknown", async () => {
    const from = head - 18;
    const late = await serve(await indexFrom(from));
    let compared = 0;
    for (const owner of owners) {
      for (const height of [from, from + 1, from + 7, head - 1, head]) {
        const { items, indexed_from } = await late.get(`address/${owner}/historical_balances/?block-height=${height}`);
        expect(indexed_from).toBe(from);
        const node = await nodeBalances(owner, height);
        for (const item of items) {
          // No contract call returns an owner's earlier total across all ids of an ERC-1155 collection.
          if (item.contract_address === story.erc1155) continue;
          expect(BigInt(item.balance), `${item.contract_address} of ${owner} at ${height}`).toBe(node.get(item.contract_address));
          compared += 1;
        }
      }
    }
    expect(compared).toBeGreaterThan(80);
    const { items, pagination } = await late.get(`tokens/${story.erc20}/token_holders_v2/`);
    expect([pagination.total_count, items[0].total_supply]).toEqual([null, null]);
    await late.end();
  });
});
