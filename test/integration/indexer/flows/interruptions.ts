import { describe, expect, it } from "vitest";
import { createDatabase } from "../../../../runtime/database/database.ts";
import { dump } from "../../../support/contents.ts";
import { createTestIndexer } from "../../../support/indexer/support.ts";
import { scaleTimeLimit } from "../../../support/scale-time-limit.ts";
import { chain, chainSettings, expectSame, freshDump, newDatabase, proxy } from "./setup.ts";

/** Tests interrupted batches and indexers. */
export const describeInterruptions = (): void => {
  describe("an interrupted batch", () => {
    it("leaves a checkpoint that matches the rows, and the next run produces the rows of an uninterrupted one", async () => {
      const testDatabase = await newDatabase();
      const databaseName = new URL(testDatabase.url).pathname.slice(1);
      let terminated = 0;
      for (let attempt = 0; attempt < 6; attempt += 1) {
        const database = createDatabase({
          url: testDatabase.url,
          poolSize: 4,
          statementTimeoutMilliseconds: 0,
          applicationName: "crashing",
        });
        const testIndexer = await createTestIndexer(chain.url, database, {
          chain: chainSettings(),
          tuning: { batchTransactions: 1, requestTransactions: 1, requestBlocks: 1 },
        });
        const stop = new AbortController();
        const run = testIndexer.indexer.run(stop.signal).catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, 15 + 12 * attempt));
        stop.abort();
        const connections = await testDatabase.database.query<{ is_terminated: boolean }>(
          "SELECT pg_terminate_backend(pid) AS is_terminated FROM pg_stat_activity WHERE application_name = 'crashing' AND datname = $1",
          [databaseName],
        );
        terminated += connections.length;
        await run;
        await database.close().catch(() => undefined);
        await testIndexer.close();
        const inconsistentCheckpoints = await testDatabase.database.query(
          `SELECT c.projection FROM projection_checkpoints c WHERE c.block_number <> coalesce((SELECT max(number) FROM blocks), -1)
         OR c.block_number < (SELECT max(block_number) FROM transfers)`,
        );
        expect(inconsistentCheckpoints).toEqual([]);
      }
      expect(terminated).toBeGreaterThan(0);
      const last = await createTestIndexer(chain.url, testDatabase.database, { chain: chainSettings() });
      await last.runToHead(await chain.head());
      await last.close();
      expectSame(await dump(testDatabase.database), await freshDump());
    });

    it("is retried by a running indexer when the connection is restored", async () => {
      const testDatabase = await newDatabase();
      const testIndexer = await createTestIndexer(chain.url, testDatabase.database, {
        chain: chainSettings(),
        tuning: { batchTransactions: 1, requestBlocks: 1 },
      });
      const terminating = setInterval(() => {
        void testDatabase.database
          .query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'COPY%' AND datname = current_database() AND pid <> pg_backend_pid()",
          )
          .catch(() => undefined);
      }, 8);
      setTimeout(() => clearInterval(terminating), 400);
      await testIndexer.runToHead(await chain.head());
      await testIndexer.close();
      expectSame(await dump(testDatabase.database), await freshDump());
    });
  });

  describe("an indexer that is stopped", () => {
    it("stops immediately even if the node hangs, and leaves complete batches", async () => {
      const testDatabase = await newDatabase();
      const first = await createTestIndexer(proxy.url, testDatabase.database, {
        chain: chainSettings(),
        tuning: { batchTransactions: 1, requestBlocks: 1 },
      });
      const stop = new AbortController();
      const run = first.indexer.run(stop.signal);
      while (first.progress.length < 3) await new Promise((resolve) => setTimeout(resolve, 2));
      proxy.intercept = () => true;
      await new Promise((resolve) => setTimeout(resolve, 50));
      const stoppedAt = performance.now();
      stop.abort();
      await run;
      expect(performance.now() - stoppedAt).toBeLessThan(scaleTimeLimit(1_000));
      const [checkpoint] = await testDatabase.database.query<{ block_number: number }>(
        "SELECT block_number FROM projection_checkpoints WHERE projection = 'tokens'",
      );
      expect(checkpoint?.block_number).toBe(first.indexer.status().block);
      await first.close();
    });
  });
};
