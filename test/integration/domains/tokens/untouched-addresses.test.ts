import { pino } from "pino";
import supertest from "supertest";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../../../../runtime/app.ts";
import { type ChainConfig, chainConfigSchema, configSchema } from "../../../../runtime/config/config.ts";
import { createKeys } from "../../../../runtime/http/keys.ts";
import type { Address, Hex } from "../../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain } from "../../../support/chain.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { chainOf, createTestIndexer } from "../../../support/indexer/support.ts";
import { type RpcProxy, startRpcProxy } from "../../../support/rpc-proxy.ts";

let chain: TestChain;
let proxy: RpcProxy;
/** An address that received a transfer before the first block of an index that starts late, and is not touched afterwards. */
let funded: Address;
const untouched: Address = `0x${"5a".repeat(20)}`;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  chain = await startTestChain();
  proxy = await startRpcProxy(chain.url);
  funded = `0x${"6b".repeat(20)}`;
  const [sender, receiver] = chain.accounts as [Address, Address];
  await chain.send({ from: sender, to: funded, value: 7n, gas: 21_000n });
  await chain.mine();
  for (let block = 0; block < 4; block += 1) {
    await chain.send({ from: sender, to: receiver, value: 1n, gas: 21_000n });
    await chain.mine();
  }
});
afterEach(async () => {
  proxy.tamper = null;
  for (const close of closers.splice(0)) await close();
});
afterAll(async () => {
  await proxy?.close();
  await chain?.stop();
});

const serveNativeBalances = async (from: number, overrides: Partial<ChainConfig> & { accounting?: "traces" | "state" | "none" } = {}) => {
  const { accounting = "traces", ...settings } = overrides;
  const testDatabase = await createTestDatabase();
  const indexer = await createTestIndexer(chain.url, testDatabase.database, { chain: chainOf({ from, nativeAccounting: accounting }) });
  await indexer.runToHead(await chain.head());
  await indexer.close();
  const parsed: ChainConfig = { ...chainConfigSchema.parse({ name: "test", id: 31337, rpc: proxy.url }), id: 31337, ...settings };
  const { key } = await createKeys(testDatabase.database).create({ label: "test" });
  const logger = pino({ level: "silent" });
  const http = createApp({ config: configSchema.parse({}), chains: [parsed], database: testDatabase.database, logger, validate: "strict" });
  closers.push(async () => {
    await http.close();
    await testDatabase.drop();
  });
  return async (owner: Address, query = ""): Promise<readonly { balance: string | null; balance_source: string | null }[]> => {
    const response = await supertest(http.listener)
      .get(`/v1/test/address/${owner}/balances_native/${query}`)
      .set("Authorization", `Bearer ${key}`);
    expect(response.status, response.body.error_message).toBe(200);
    return response.body.data.items;
  };
};
const balanceAt = async (owner: Address, block: number): Promise<string> =>
  String(BigInt(await chain.rpc<Hex>("eth_getBalance", [owner, `0x${block.toString(16)}`])));

describe("the native balance of an address that no indexed block touches", () => {
  it("is a single item with zero or the balance in the genesis block", async () => {
    const balances = await serveNativeBalances(0);
    expect(await balances(untouched)).toMatchObject([{ balance: "0", balance_source: "node" }]);
    const genesisAccount = chain.accounts[7] as Address;
    expect(await balances(genesisAccount)).toMatchObject([{ balance: await balanceAt(genesisAccount, 0), balance_source: "node" }]);
    expect(BigInt((await balances(genesisAccount))[0]?.balance ?? 0)).toBeGreaterThan(0n);
    expect(await balances(funded)).toMatchObject([{ balance: "7", balance_source: "events" }]);
  });

  it("is the balance from before the first indexed block, at any height", async () => {
    const from = 3;
    const balances = await serveNativeBalances(from);
    const head = await chain.head();
    for (const height of [from, head]) {
      expect(await balances(funded, `?block-height=${height}`)).toMatchObject([{ balance: "7", balance_source: "node" }]);
      expect(await balances(untouched, `?block-height=${height}`)).toMatchObject([{ balance: "0" }]);
    }
  });

  it("is null if the node has no state, is on another branch, or is not configured", async () => {
    const balances = await serveNativeBalances(0);
    const unknown = [{ balance: null, balance_source: null }];
    proxy.tamper = (method, response) => {
      if (method !== "eth_getBalance") return;
      delete response.result;
      response.error = { code: -32000, message: "missing trie node" };
    };
    expect(await balances(untouched)).toMatchObject(unknown);
    proxy.tamper = (method, response) => {
      if (method === "eth_getBalance") response.result = "12";
    };
    expect(await balances(untouched)).toMatchObject(unknown);
    proxy.tamper = (method, response) => {
      if (method === "eth_getBlockByNumber") (response.result as { hash: Hex }).hash = `0x${"9".repeat(64)}`;
    };
    expect(await balances(untouched)).toMatchObject(unknown);
    const withoutNode = await serveNativeBalances(0, { rpc: undefined });
    expect(await withoutNode(untouched)).toMatchObject(unknown);
  });

  it("is null if the index has no native balances", async () => {
    const balances = await serveNativeBalances(0, { accounting: "none" });
    expect(await balances(untouched)).toMatchObject([{ balance: null, balance_source: null }]);
  });
});
