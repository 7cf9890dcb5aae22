import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { IndexedChain } from "../../../runtime/indexer/types.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { chainOf, createTestIndexer, type TestIndexer } from "../../support/indexer/support.ts";
import { type RpcProxy, startRpcProxy } from "../../support/rpc-proxy.ts";

let chain: TestChain;
let proxy: RpcProxy;
const databases: TestDatabase[] = [];
const blockCount = 12;

beforeAll(async () => {
  chain = await startTestChain();
  proxy = await startRpcProxy(chain.url);
  for (let block = 0; block < blockCount; block += 1) {
    await chain.send({ to: `0x${(block + 1).toString(16).padStart(40, "c")}`, value: 1n, gas: 21_000n });
    await chain.mine();
  }
});
afterEach(async () => {
  proxy.tamper = null;
  await Promise.all(databases.splice(0).map((testDatabase) => testDatabase.drop()));
});
afterAll(async () => {
  await proxy?.close();
  await chain?.stop();
});

const newDatabase = async (): Promise<TestDatabase> => {
  const testDatabase = await createTestDatabase();
  databases.push(testDatabase);
  return testDatabase;
};
const withIndexer = async <T>(
  testDatabase: TestDatabase,
  settings: Partial<IndexedChain>,
  work: (testIndexer: TestIndexer) => Promise<T>,
): Promise<T> => {
  const testIndexer = await createTestIndexer(proxy.url, testDatabase.database, {
    chain: chainOf({ nativeAccounting: "state", ...settings }),
  });
  try {
    return await work(testIndexer);
  } finally {
    await testIndexer.close();
  }
};
const index = (testDatabase: TestDatabase, settings: Partial<IndexedChain> = {}): Promise<readonly string[]> =>
  withIndexer(testDatabase, settings, async (testIndexer) => {
    await testIndexer.runToHead(blockCount);
    return testIndexer.warnings;
  });
const runIndexer = (testDatabase: TestDatabase, settings: Partial<IndexedChain>): Promise<void> =>
  withIndexer(testDatabase, settings, ({ indexer }) => indexer.run(AbortSignal.timeout(5_000)));
const chainRowOf = async ({ database }: TestDatabase) =>
  (await database.query<{ name: string; missing: string[] }>("SELECT name, missing FROM chains"))[0];

describe("a first block above the head", () => {
  const refusal = `Cannot index test from block 500: the node's head is block ${blockCount}; set from (--from) to ${blockCount} or less.`;

  it("is refused with the head's height, and no index is created", async () => {
    const testDatabase = await newDatabase();
    await expect(runIndexer(testDatabase, { from: 500 })).rejects.toThrow(refusal);
    expect(await chainRowOf(testDatabase)).toBeUndefined();
    await index(testDatabase, { from: blockCount });
    expect(await chainRowOf(testDatabase)).toMatchObject({ missing: [] });
  });

  it("is refused for an index with another first block, and leaves its record of missing features empty", async () => {
    const testDatabase = await newDatabase();
    await index(testDatabase);
    // The indexer requests the state before the first block, which the node does not have above its head.
    proxy.tamper = (method, response, params) => {
      if (method !== "eth_getBalance" || Number(params[1]) !== 499) return;
      delete response.result;
      response.error = { code: -32000, message: "header not found" };
    };
    await expect(runIndexer(testDatabase, { from: 500 })).rejects.toThrow(refusal);
    proxy.tamper = null;
    expect(await chainRowOf(testDatabase)).toMatchObject({ missing: [] });
    await index(testDatabase);
    expect(await chainRowOf(testDatabase)).toMatchObject({ missing: [] });
  });
});

describe("the record of missing base balances", () => {
  it("is cleared when the index has all base balances", async () => {
    const testDatabase = await newDatabase();
    await index(testDatabase);
    // Earlier versions left this value after a run with a first block above the head.
    await testDatabase.database.query("UPDATE chains SET missing = '{native-history}'");
    await index(testDatabase);
    expect(await chainRowOf(testDatabase)).toMatchObject({ missing: [] });
  });

  it("remains while a stored balance is unknown, even with an archive node", async () => {
    const testDatabase = await newDatabase();
    const head = await chain.rpc<string>("eth_blockNumber");
    proxy.tamper = (method, response, params) => {
      // Simulates a node without archive state, which has only the balances at its head.
      if (method !== "eth_getBalance" || params[1] === head) return;
      delete response.result;
      response.error = { code: -32000, message: "missing trie node" };
    };
    await index(testDatabase);
    expect((await chainRowOf(testDatabase))?.missing).toContain("native-history");
    proxy.tamper = null;
    await index(testDatabase);
    expect(await chainRowOf(testDatabase)).toMatchObject({ missing: ["native-history"] });
  });
});

describe("the name of a chain", () => {
  it("is changed in the index with the same chain id, and the change is logged", async () => {
    const testDatabase = await newDatabase();
    await index(testDatabase);
    expect(await index(testDatabase, { name: "other" })).toContain(
      "Chain 31337 was named test in this index and is now named other: its paths start with /v1/other/.",
    );
    expect(await chainRowOf(testDatabase)).toMatchObject({ name: "other" });
    expect((await index(testDatabase, { name: "other" })).filter((warning) => warning.includes("named"))).toEqual([]);
  });

  it("is refused while another chain in the index has the same name", async () => {
    const testDatabase = await newDatabase();
    await testDatabase.database.query("INSERT INTO chains (chain_id, name, genesis_hash, indexed_from) VALUES (7, 'test', '\\x00', 0)");
    await expect(runIndexer(testDatabase, {})).rejects.toThrow(
      "The name test belongs to chain 7 in this index: choose a different name for chain 31337, or use a different database.",
    );
  });
});
