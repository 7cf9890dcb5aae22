import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { createTestIndexer, isAtHead, runInBackground, type TestIndexer } from "../../support/indexer/support.ts";
import { until } from "../../support/until.ts";

let chain: TestChain;
let testDatabase: TestDatabase;
let testIndexer: TestIndexer;
let end: () => Promise<void>;

beforeAll(async () => {
  [chain, testDatabase] = await Promise.all([startTestChain(), createTestDatabase()]);
  await chain.mine();
  testIndexer = await createTestIndexer(chain.url, testDatabase.database);
});
afterAll(async () => {
  await end?.();
  await chain?.stop();
  await testDatabase?.drop();
});

describe("work between two batches", () => {
  it("does not run before this process is the leader", async () => {
    let isDone = false;
    expect(await testIndexer.indexer.runExclusive(async () => (isDone = true))).toBe(null);
    expect(isDone).toBe(false);
    end = runInBackground(testIndexer);
    await until("the index to reach the head", () => isAtHead(testDatabase.database, chain));
  });

  it("sees an unchanged head until it ends, and indexing continues afterwards", async () => {
    const head = await chain.rpc<{ number: string; hash: string }>("eth_getBlockByNumber", ["latest", false]);
    const observed = await testIndexer.indexer.runExclusive(async (client, indexed) => {
      await chain.mine();
      await new Promise((resolve) => setTimeout(resolve, 300));
      const [row] = await client.query<{ lowest: number; highest: number }>(
        "SELECT min(block_number) AS lowest, max(block_number) AS highest FROM projection_checkpoints",
      );
      return { indexed, row };
    });
    const number = Number(head.number);
    expect(observed).toEqual({ indexed: { number, hash: head.hash }, row: { lowest: number, highest: number } });
    await until("the next block to be indexed", () => isAtHead(testDatabase.database, chain));
  });

  it("is rolled back when it fails, and indexing continues", async () => {
    const failing = testIndexer.indexer.runExclusive(async (client) => {
      await client.query("DELETE FROM blocks");
      throw new Error("on purpose");
    });
    await expect(failing).rejects.toThrow("on purpose");
    expect((await testDatabase.database.query("SELECT 1 FROM blocks")).length).toBeGreaterThan(1);
    await chain.mine();
    await until("the next block to be indexed", () => isAtHead(testDatabase.database, chain));
  });
});
