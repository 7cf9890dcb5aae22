import { pino } from "pino";
import supertest from "supertest";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../../../../runtime/app.ts";
import { type ChainConfig, chainConfig, config } from "../../../../runtime/config/config.ts";
import { createKeys } from "../../../../runtime/http/keys.ts";
import type { Address, Hex } from "../../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain } from "../../../support/chain.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { chainOf, createTestIndexer } from "../../../support/indexer/support.ts";
import { type RpcProxy, startRpcProxy } from "../../../support/rpc-proxy.ts";

/** Native balances of addresses that no indexed block concerns, compared with the node. */
let chain: TestChain;
let proxy: RpcProxy;
/** Has something by a block before a late start, and nothing happens to it since. */
let gifted: Address;
const nobody: Address = `0x${"5a".repeat(20)}`;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  chain = await startTestChain();
  proxy = await startRpcProxy(chain.url);
  gifted = `0x${"6b".repeat(20)}`;
  const [sender, receiver] = chain.accounts as [Address, Address];
  await chain.send({ from: sender, to: gifted, value: 7n, gas: 21_000n });
  await chain.mine();
  for (let block = 0; block < 4; block += 1) {
    await chain.send({ from: sender, to: receiver, value: 1n, gas: 21_000n });
    await chain.mine();
  }
});
afterEach(async () => {
  proxy.tamper = null;
  for (const end of ends.splice(0)) await end();
});
afterAll(async () => {
  await proxy?.close();
  await chain?.stop();
});

const serve = async (from: number, overrides: Partial<ChainConfig> & { accounting?: "traces" | "state" | "none" } = {}) => {
  const { accounting = "traces", ...settings } = overrides;
  const test = await createTestDatabase();
  const indexer = await createTestIndexer(chain.url, test.database, { chain: chainOf({ from, nativeAccounting: accounting }) });
  await indexer.runToHead(await chain.head());
  await indexer.close();
  const parsed: ChainConfig = { ...chainConfig.parse({ name: "test", id: 31337, rpc: proxy.url }), id: 31337, ...settings };
  const { key } = await createKeys(test.database).create({ label: "test" });
  const logger = pino({ level: "silent" });
  const http = createApp({ config: config.parse({}), chains: [parsed], database: test.database, logger, validate: "strict" });
  ends.push(async () => {
    await http.close();
    await test.drop();
  });
  return async (owner: Address, query = ""): Promise<readonly { balance: string | null; balance_source: string | null }[]> => {
    const response = await supertest(http.app)
      .get(`/v1/test/address/${owner}/balances_native/${query}`)
      .set("Authorization", `Bearer ${key}`);
    expect(response.status, response.body.error_message).toBe(200);
    return response.body.data.items;
  };
};
const balanceAt = async (owner: Address, block: number): Promise<string> =>
  String(BigInt(await chain.rpc<Hex>("eth_getBalance", [owner, `0x${block.toString(16)}`])));

describe("the native balance of an address that no indexed block concerns", () => {
  it("is one item: nothing, or what the genesis block gave it", async () => {
    const balances = await serve(0);
    expect(await balances(nobody)).toMatchObject([{ balance: "0", balance_source: "node" }]);
    const rich = chain.accounts[7] as Address;
    expect(await balances(rich)).toMatchObject([{ balance: await balanceAt(rich, 0), balance_source: "node" }]);
    expect(BigInt((await balances(rich))[0]?.balance ?? 0)).toBeGreaterThan(0n);
    expect(await balances(gifted)).toMatchObject([{ balance: "7", balance_source: "events" }]);
  });

  it("is what the blocks before a late start gave it, at any height", async () => {
    const from = 3;
    const balances = await serve(from);
    const head = await chain.head();
    for (const height of [from, head]) {
      expect(await balances(gifted, `?block-height=${height}`)).toMatchObject([{ balance: "7", balance_source: "node" }]);
      expect(await balances(nobody, `?block-height=${height}`)).toMatchObject([{ balance: "0" }]);
    }
  });

  it("is null where the node does not say, is of another branch, or is not there", async () => {
    const balances = await serve(0);
    const unknown = [{ balance: null, balance_source: null }];
    proxy.tamper = (method, reply) => {
      if (method !== "eth_getBalance") return;
      delete reply.result;
      reply.error = { code: -32000, message: "missing trie node" };
    };
    expect(await balances(nobody)).toMatchObject(unknown);
    proxy.tamper = (method, reply) => {
      if (method === "eth_getBalance") reply.result = "12";
    };
    expect(await balances(nobody)).toMatchObject(unknown);
    proxy.tamper = (method, reply) => {
      if (method === "eth_getBlockByNumber") (reply.result as { hash: Hex }).hash = `0x${"9".repeat(64)}`;
    };
    expect(await balances(nobody)).toMatchObject(unknown);
    const withoutNode = await serve(0, { rpc: undefined });
    expect(await withoutNode(nobody)).toMatchObject(unknown);
  });

  it("is null where the index keeps no native balances", async () => {
    const balances = await serve(0, { accounting: "none" });
    expect(await balances(nobody)).toMatchObject([{ balance: null, balance_source: null }]);
  });
});
