import { describe, expect, it } from "vitest";
import { createReconciliationJobs } from "../../../../runtime/domains/tokens/jobs/reconcile-balances/jobs.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { chainOf, createTestIndexer, runInBackground } from "../../../support/indexer/support.ts";
import { refuseAllCalls, refuseContract } from "../../../support/poison-proxy.ts";
import { until } from "../../../support/until.ts";
import {
  alice,
  bob,
  cleanups,
  coin,
  collection,
  createScheduler,
  poisonCoin,
  poisonCollection,
  proxy,
  rowsOf,
  startBlock,
  startIndexer,
  testDatabase,
  waitForHead,
} from "./setup.ts";

/** Tests indexers that call contracts. */
export const describeIndexers = (): void => {
  describe("an indexer that reads contract standards", () => {
    const standards = () =>
      rowsOf<{ address: Address; is_collection: boolean; read_at_block: number | null }>(
        "SELECT address, is_collection, read_at_block FROM contract_standards",
      );

    it("reads other contracts if the node fails the calls to one, and classifies that one by its logs after the last attempt", async () => {
      refuseContract(proxy, poisonCollection);
      const testIndexer = await startIndexer();
      await waitForHead(testIndexer);
      const rows = await standards();
      expect(rows.find(({ address }) => address === collection)).toMatchObject({ is_collection: true, read_at_block: startBlock - 1 });
      expect(rows.find(({ address }) => address === poisonCollection)).toMatchObject({ is_collection: false, read_at_block: null });
      expect(testIndexer.warnings.join()).toContain(poisonCollection);
    });

    it("stores nothing while the node refuses all calls", async () => {
      const refusals = refuseAllCalls(proxy);
      const testIndexer = await startIndexer();
      await until("failed reads", () => testIndexer.warnings.length >= 2);
      expect(refusals.count).toBeGreaterThan(0);
      expect(await standards()).toEqual([]);
      proxy.intercept = null;
      await waitForHead(testIndexer);
      expect((await standards()).map(({ is_collection }) => is_collection)).toEqual([true, true]);
    });
  });

  describe("an indexer that reads base balances", () => {
    const startAfterMints = () => startIndexer({ chain: chainOf({ from: startBlock }) });
    const balances = async (token: Address) =>
      Object.fromEntries(
        (
          await testDatabase.database.query<{ owner: Address; balance: string | null }>(
            "SELECT owner, balance FROM balances WHERE token = decode($1, 'hex')",
            [token.slice(2)],
          )
        ).map(({ owner, balance }) => [owner, balance]),
      );

    it("stores balances as unknown if the node fails all attempts to read them, and reads them later", async () => {
      refuseContract(proxy, poisonCoin);
      const testIndexer = await startAfterMints();
      await waitForHead(testIndexer);
      expect(await balances(coin)).toEqual({ [alice]: "70", [bob]: "30" });
      expect(await balances(poisonCoin)).toEqual({ [alice]: null, [bob]: null });
      const unread = await rowsOf<{ key: string; reverted: boolean }>("SELECT key, reverted FROM base_reads WHERE value IS NULL");
      expect(unread.map(({ key, reverted }) => [key.slice(0, 42), reverted])).toEqual([
        [poisonCoin, false],
        [poisonCoin, false],
      ]);
      proxy.intercept = null;
      const scheduler = createScheduler(testIndexer, createReconciliationJobs());
      for (let count = 0; count < 20 && (await scheduler.runDue()); count += 1);
      expect(await balances(poisonCoin)).toEqual({ [alice]: "70", [bob]: "30" });
      expect(await rowsOf("SELECT FROM base_reads WHERE value IS NULL")).toEqual([]);
    });

    it("stores nothing while the node refuses all calls", async () => {
      refuseAllCalls(proxy);
      const testIndexer = await startAfterMints();
      await until("failed reads", () => testIndexer.warnings.length >= 2);
      expect(await rowsOf("SELECT FROM base_reads")).toEqual([]);
      proxy.intercept = null;
      await waitForHead(testIndexer);
      expect(await balances(poisonCoin)).toEqual({ [alice]: "70", [bob]: "30" });
    });

    it("stores nothing while the node returns no balances", async () => {
      // The node's capabilities are probed before its responses are changed.
      const testIndexer = await createTestIndexer(proxy.url, testDatabase.database, { chain: chainOf({ from: startBlock }) });
      proxy.tamper = (method, response) => {
        if (method !== "eth_getBalance") return;
        delete response.result;
        response.error = { code: -32603, message: "internal error" };
      };
      cleanups.push(runInBackground(testIndexer));
      await until("failed reads", () => testIndexer.warnings.length >= 2);
      expect(testIndexer.warnings[0]).toMatch(
        /^Indexing test failed, retrying in [\d.]+ s: The node returned no result for eth_getBalance at its head, block \d+\.$/,
      );
      expect(await rowsOf("SELECT FROM base_reads")).toEqual([]);
      proxy.tamper = null;
      await waitForHead(testIndexer);
      expect(await rowsOf("SELECT FROM base_reads WHERE value IS NULL")).toEqual([]);
    });
  });
};
