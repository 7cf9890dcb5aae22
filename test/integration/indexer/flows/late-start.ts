import { describe, expect, it } from "vitest";
import { startTestChain } from "../../../support/chain.ts";
import { balanceHistory, createTestIndexer } from "../../../support/indexer/support.ts";
import { chain, chainSettings, newDatabase, proxy } from "./setup.ts";

/** Tests indexes that lack earlier state. */
export const describeLateStart = (): void => {
  describe("an index that starts at a later block", () => {
    it("reads base balances from the node's state, and is exact from its first block", async () => {
      const testDatabase = await newDatabase();
      const head = await chain.head();
      const from = head - 5;
      const testIndexer = await createTestIndexer(chain.url, testDatabase.database, { chain: { ...chainSettings(), from } });
      await testIndexer.runToHead(head);
      await testIndexer.close();
      const lateBalances = await testDatabase.database.query<{ owner: string; token: string; standard: number; balance: string | null }>(
        "SELECT owner, token, standard, balance FROM balances WHERE standard < 3 ORDER BY owner, token, standard",
      );
      const fresh = await newDatabase();
      const complete = await createTestIndexer(chain.url, fresh.database, { chain: chainSettings() });
      await complete.runToHead(head);
      await complete.close();
      const completeBalances = await fresh.database.query<{ owner: string; token: string; standard: number; balance: string | null }>(
        "SELECT owner, token, standard, balance FROM balances ORDER BY owner, token, standard",
      );
      const byKey = new Map(completeBalances.map((row) => [`${row.owner}${row.token}${row.standard}`, row.balance]));
      expect(lateBalances.length).toBeGreaterThan(8);
      expect(lateBalances.map((row) => row.balance)).toEqual(
        lateBalances.map((row) => byKey.get(`${row.owner}${row.token}${row.standard}`)),
      );
      const ids = "SELECT owner, token, token_id, standard, balance FROM nft_balances";
      const lateIds = await testDatabase.database.query<{ owner: string; token: string; token_id: string; balance: string }>(ids);
      const fullIds = await fresh.database.query<{ owner: string; token: string; token_id: string; balance: string }>(ids);
      for (const row of lateIds) expect(fullIds).toContainEqual(row);
      const bases = await testDatabase.database.query<{ blocks: number[] }>(
        `SELECT array_agg(DISTINCT block_number) AS blocks FROM ${balanceHistory} WHERE block_number < $1`,
        [from],
      );
      expect(bases[0]?.blocks).toEqual([from - 1]);
    });

    it("has unknown but no negative balances if the node lacks the state before its first block", async () => {
      const testDatabase = await newDatabase();
      const head = await chain.head();
      const stateful = new Set(["eth_getBalance", "eth_call"]);
      proxy.tamper = (method, response, params) => {
        if (!stateful.has(method) || Number(params[1]) >= head - 1) return;
        delete response.result;
        response.error = { code: -32000, message: "missing trie node 5f3a (path ) state is not available" };
      };
      const testIndexer = await createTestIndexer(proxy.url, testDatabase.database, { chain: { ...chainSettings(), from: head - 4 } });
      await testIndexer.runToHead(head);
      await testIndexer.close();
      const known = await testDatabase.database.query(
        `SELECT 1 FROM ${balanceHistory} WHERE balance IS NOT NULL AND block_number BETWEEN $1 - 4 AND $1 - 1`,
        [head],
      );
      expect(known).toEqual([]);
      // Accounts first touched by the last block have known balances, because the node still has the previous block's state.
      const last = await testDatabase.database.query<{ owner: string; balance: string }>(
        `SELECT owner, balance FROM ${balanceHistory} WHERE standard = 0 AND balance IS NOT NULL AND block_number = $1`,
        [head],
      );
      expect(last.length).toBeGreaterThan(0);
      for (const { owner, balance } of last) {
        expect(BigInt(balance)).toBe(BigInt(await chain.rpc<string>("eth_getBalance", [owner, "latest"])));
      }
      expect(await testDatabase.database.query("SELECT missing FROM chains")).toEqual([{ missing: ["archive-state"] }]);
    });
  });

  describe("a node without archive state", () => {
    it("provides exact native balances if the genesis allocation is known", async () => {
      const prunedNode = await startTestChain({ args: ["--prune-history", "2"] });
      const sender = prunedNode.accounts[0] as `0x${string}`;
      for (let number = 0; number < 40; number += 1) {
        await prunedNode.send({ to: `0x${(0xdd00 + number).toString(16).padStart(40, "0")}`, value: 5n, gas: 21_000n });
        await prunedNode.mine();
      }
      const testDatabase = await newDatabase();
      // Anvil's genesis block allocates 10,000 ether to each of its accounts.
      const genesisAllocation = new Map(prunedNode.accounts.map((address) => [address, 10_000n * 10n ** 18n]));
      const testIndexer = await createTestIndexer(prunedNode.url, testDatabase.database, { genesisAllocation });
      await testIndexer.runToHead(40);
      await testIndexer.close();
      const balances = await testDatabase.database.query<{ owner: `0x${string}`; balance: string }>(
        "SELECT owner, balance FROM balances WHERE standard = 0",
      );
      expect(balances.map(({ owner }) => owner)).toContain(sender);
      expect(balances).toHaveLength(42);
      for (const { owner, balance } of balances)
        expect(BigInt(balance)).toBe(BigInt(await prunedNode.rpc<string>("eth_getBalance", [owner, "latest"])));
      await prunedNode.stop();
    });
  });
};
