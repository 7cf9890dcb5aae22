import { describe, expect, it } from "vitest";
import { dump } from "../../../support/contents.ts";
import { createTestIndexer, runUntil } from "../../../support/indexer/support.ts";
import { accounts, addNextRound, chain, chainSettings, expectSame, freshDump, newDatabase, proxy } from "./setup.ts";

/** Tests reorganisations. */
export const describeReorganisations = (): void => {
  describe("a reorganisation", () => {
    it.each([1, 3, 10])("leaves no rows from the replaced blocks at depth %i", async (depth) => {
      const testDatabase = await newDatabase();
      const testIndexer = await createTestIndexer(chain.url, testDatabase.database, { chain: chainSettings() });
      await addNextRound();
      await addNextRound();
      // No other block touches these two genesis accounts, so their base balances must be deleted with this block.
      await chain.send({ from: chain.accounts[7] as `0x${string}`, to: chain.accounts[8] as `0x${string}`, value: 1n, gas: 21_000n });
      await chain.mine();
      await testIndexer.runToHead(await chain.head());
      // Only the first of the new blocks has a transaction; the new branch does not touch the replaced blocks' other accounts and tokens.
      const transactions = [[{ from: accounts[0], to: accounts[2], value: "0x5", gas: "0x5208" }, 0]];
      await chain.rpc("anvil_reorg", [depth, transactions]);
      await testIndexer.runToHead(await chain.head());
      expect(testIndexer.progress.filter(({ phase }) => phase === "reorganisation").map(({ blockCount }) => blockCount)).toEqual([depth]);
      await testIndexer.close();
      expectSame(await dump(testDatabase.database), await freshDump());
    });

    it("is detected by the parent hash if the new branch has more blocks", async () => {
      const testDatabase = await newDatabase();
      const testIndexer = await createTestIndexer(chain.url, testDatabase.database, { chain: chainSettings() });
      await testIndexer.runToHead(await chain.head());
      await chain.rpc("anvil_reorg", [2, []]);
      await addNextRound();
      await testIndexer.runToHead(await chain.head());
      expect(testIndexer.progress.filter(({ phase }) => phase === "reorganisation")).toHaveLength(1);
      await testIndexer.close();
      expectSame(await dump(testDatabase.database), await freshDump());
    });

    it("deletes anchors and queued reads above the ancestor, and no others", async () => {
      const testDatabase = await newDatabase();
      const testIndexer = await createTestIndexer(chain.url, testDatabase.database, { chain: chainSettings() });
      const head = await chain.head();
      await testIndexer.runToHead(head);
      await testDatabase.database.query(
        `INSERT INTO page_anchors (fingerprint, chain_id, block_number, expires_at) SELECT decode(lpad(n::text, 2, '0'), 'hex'), 31337, $1::int8 - n, now() FROM generate_series(0, 4) n`,
        [head],
      );
      await testDatabase.database.query(
        "INSERT INTO node_reads (chain_id, kind, key, block_number) VALUES (31337, 'token-metadata', '\\x01', $1)",
        [head],
      );
      await chain.rpc("anvil_reorg", [2, []]);
      await testIndexer.runToHead(await chain.head());
      await testIndexer.close();
      const anchors = await testDatabase.database.query<{ block_number: number }>("SELECT block_number FROM page_anchors ORDER BY 1");
      expect(anchors.map(({ block_number }) => block_number)).toEqual([head - 4, head - 3, head - 2]);
      expect(await testDatabase.database.query("SELECT 1 FROM node_reads WHERE key = '\\x01'")).toEqual([]);
    });

    it("is not detected if the node only lags behind", async () => {
      const testDatabase = await newDatabase();
      const first = await createTestIndexer(chain.url, testDatabase.database, { chain: chainSettings() });
      await first.runToHead(await chain.head());
      await first.close();
      const before = await dump(testDatabase.database);
      const older = await chain.rpc<{ number: string }>("eth_getBlockByNumber", [`0x${((await chain.head()) - 3).toString(16)}`, false]);
      proxy.tamper = (method, response, params) => {
        if (method === "eth_getBlockByNumber" && params[0] === "latest") response.result = older;
      };
      const lagging = await createTestIndexer(proxy.url, testDatabase.database, { chain: chainSettings() });
      await runUntil(lagging.indexer, () => lagging.indexer.status().isFollowing && (proxy.counts.get("eth_getBlockByNumber") ?? 0) > 20);
      expect(lagging.progress).toEqual([]);
      await lagging.close();
      expectSame(await dump(testDatabase.database), before);
    });

    it("stops indexing and changes nothing if it replaces a finalized block", async () => {
      const testDatabase = await newDatabase();
      const testIndexer = await createTestIndexer(chain.url, testDatabase.database, { chain: chainSettings() });
      const head = await chain.head();
      await testIndexer.runToHead(head);
      await testDatabase.database.query("UPDATE chains SET finalized_block = $1", [head - 1]);
      const before = await dump(testDatabase.database);
      await chain.rpc("anvil_reorg", [3, []]);
      await expect(testIndexer.indexer.run(new AbortController().signal)).rejects.toThrow(
        /block \d+ with a different hash than the index, although block \d+ was finalized/,
      );
      await testIndexer.close();
      expectSame(await dump(testDatabase.database), before);
    });
  });
};
