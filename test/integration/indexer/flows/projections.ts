import { describe, expect, it } from "vitest";
import { addressActivityProjection } from "../../../../runtime/domains/ledger/projection/activity.ts";
import { tokensProjection } from "../../../../runtime/domains/tokens/projection/index.ts";
import { erc721Transfer } from "../../../../runtime/events/transfers.ts";
import { defineProjection } from "../../../../runtime/indexer/projection.ts";
import { startTestChain } from "../../../support/chain.ts";
import { dump } from "../../../support/contents.ts";
import { chainOf, createTestIndexer } from "../../../support/indexer/support.ts";
import { addNextRound, chain, chainSettings, expectSame, freshDump, newDatabase, proxy } from "./setup.ts";

/** Tests nodes on the wrong chain, and added or changed projections. */
export const describeProjections = (): void => {
  describe("a node on another chain", () => {
    it("is refused when its genesis block differs", async () => {
      const testDatabase = await newDatabase();
      const testIndexer = await createTestIndexer(chain.url, testDatabase.database, { chain: chainSettings() });
      await testIndexer.runToHead(await chain.head());
      await testIndexer.close();
      const other = await startTestChain({ args: ["--block-base-fee-per-gas", "7"] });
      const mismatched = await createTestIndexer(other.url, testDatabase.database, { chain: chainSettings() });
      await expect(mismatched.indexer.run(new AbortController().signal)).rejects.toThrow(
        /reports genesis block 0x[0-9a-f]{64}, expected 0x[0-9a-f]{64}, the genesis block of the index/,
      );
      await mismatched.close();
      await other.stop();
    });

    it("is refused when its chain id differs", async () => {
      const testDatabase = await newDatabase();
      const mismatched = await createTestIndexer(chain.url, testDatabase.database, { chain: chainOf({ id: 5 }) });
      await expect(mismatched.indexer.run(new AbortController().signal)).rejects.toThrow(
        "The node of test reports chain id 31337, expected 5: set rpc (--rpc) to a node of chain 5",
      );
      await mismatched.close();
    });
  });

  describe("a projection added or changed later", () => {
    it("has the same rows as if it had always existed, and requests only the head and contract standards from the node", async () => {
      const testDatabase = await newDatabase();
      const ledgerOnly = await createTestIndexer(chain.url, testDatabase.database, { chain: chainSettings(), projections: [] });
      const head = await chain.head();
      await ledgerOnly.runToHead(head);
      await ledgerOnly.close();
      proxy.counts.clear();
      const withProjections = await createTestIndexer(proxy.url, testDatabase.database, {
        chain: chainSettings(),
        tuning: { batchTransactions: 5 },
      });
      const probed = new Map(proxy.counts);
      await withProjections.runToHead(head);
      await withProjections.close();
      const methods = [...proxy.counts].filter(([method, count]) => count > (probed.get(method) ?? 0)).map(([method]) => method);
      // The requests are for the chain id, the genesis block, the head and the finalized block, but not for block contents.
      expect(methods.sort()).toEqual(["eth_call", "eth_chainId", "eth_getBlockByNumber"]);
      // Two calls for each contract whose logs may be ERC-20 or ERC-721; no projection has required them before.
      const [{ contracts } = { contracts: 0 }] = await testDatabase.database.query<{ contracts: number }>(
        "SELECT count(DISTINCT address) AS contracts FROM logs WHERE topic0 = $1 AND topic3 IS NOT NULL",
        [Buffer.from(erc721Transfer.topic0.slice(2), "hex")],
      );
      expect((proxy.counts.get("eth_call") ?? 0) - (probed.get("eth_call") ?? 0)).toBe(2 * contracts);
      expect(withProjections.progress.filter(({ phase }) => phase === "catch-up").length).toBeGreaterThan(3);
      expectSame(await dump(testDatabase.database), await freshDump());
    });

    it("is rebuilt when its version changes, while indexing continues", async () => {
      const testDatabase = await newDatabase();
      const first = await createTestIndexer(chain.url, testDatabase.database, { chain: chainSettings() });
      await first.runToHead(await chain.head());
      await first.close();
      await addNextRound();
      const changed = defineProjection({ ...tokensProjection, version: tokensProjection.version + 1 });
      const second = await createTestIndexer(chain.url, testDatabase.database, {
        chain: chainSettings(),
        projections: [addressActivityProjection, changed],
        tuning: { batchTransactions: 4, requestTransactions: 2, requestBlocks: 1 },
      });
      await second.runToHead(await chain.head());
      await second.close();
      const [expected, actual] = [await freshDump(), await dump(testDatabase.database)];
      expect(actual.projection_checkpoints).toContain(`(31337,tokens,${changed.version},${await chain.head()},)`);
      expectSame({ ...actual, projection_checkpoints: [] }, { ...expected, projection_checkpoints: [] });
    });
  });
};
