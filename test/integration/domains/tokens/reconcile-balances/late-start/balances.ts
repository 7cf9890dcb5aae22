import { describe, expect, it } from "vitest";
import type { Address, Hex } from "../../../../../../runtime/lib/hex.ts";
import { artifacts, encodeCall } from "../../../../../support/chain.ts";
import { dump } from "../../../../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../../../../support/database.ts";
import { createTestIndexer } from "../../../../../support/indexer/support.ts";
import { balancesOf } from "../support.ts";
import { countUnknown } from "./count-unknown.ts";
import { accounts, chain, from, indexOptions, mine, proxy, quantity, reconcile, story, testDatabase } from "./setup.ts";

/** Returns the token tables of an index that starts at the same block on an archive node. */
const tablesOfArchiveIndex = async () => {
  const other = await createTestDatabase();
  const running = await createTestIndexer(chain.url, other.database, indexOptions());
  await running.runToHead(await chain.head());
  await running.close();
  const rows = await tokenTables(other);
  await other.drop();
  return rows;
};
const tokenTables = async ({ database }: TestDatabase) => {
  // Running balances of collections and the native token are neither served nor filled in.
  const transfers = await database.query("SELECT * FROM transfers WHERE standard = 1 ORDER BY block_number, ordinal");
  const { balances, balance_periods, nft_balances, nft_balance_periods, holder_counts } = await dump(database);
  return { balances, balance_periods, nft_balances, nft_balance_periods, holder_counts, transfers };
};

/** Tests of reconciled balances, including after reorganisations and rebuilds. */
export const describeBalances = (): void => {
  describe("an index that starts late on a node without old state", () => {
    it("has the same balances, running balances and holders as an index on an archive node", async () => {
      const reconciliation = await reconcile();
      await reconciliation.runFor(0);
      expect(await countUnknown(testDatabase.database)).toBeGreaterThan(15);
      await reconciliation.runFor(2);
      expect(await countUnknown(testDatabase.database)).toBe(0);
      expect(reconciliation.warnings).toEqual([]);
      const expected = await tablesOfArchiveIndex();
      const reconciled = await tokenTables(testDatabase);
      for (const table of Object.keys(expected) as (keyof typeof expected)[]) expect(reconciled[table], table).toEqual(expected[table]);
      expect(await testDatabase.database.query("SELECT token FROM node_sourced_tokens")).toEqual([]);
    });

    it("serves the node's balances at every height since its first block", async () => {
      const reconciliation = await reconcile();
      await reconciliation.runFor(2);
      const head = await chain.head();
      let compared = 0;
      for (let height = from - 1; height <= head; height += 1) {
        const rows = await testDatabase.database.query<{ owner: Address; token: Address; standard: number; balance: string | null }>(
          `SELECT owner, token, standard, balance FROM balances WHERE since_block <= $1 AND standard < 3
         UNION ALL SELECT owner, token, standard, balance FROM balance_periods WHERE from_block <= $1 AND to_block >= $1 AND standard < 3`,
          [height],
        );
        const tokens = rows.filter(({ standard }) => standard > 0);
        const returned = await balancesOf(
          chain,
          tokens.map(({ owner, token }) => ({ owner, token, height })),
        );
        expect(tokens.map(({ balance }) => balance)).toEqual(returned);
        const native = rows.filter(({ standard }) => standard === 0);
        const amounts = await chain.batch<Hex>(
          native.map(({ owner }) => ({ method: "eth_getBalance", params: [owner, quantity(height)] })),
        );
        expect(native.map(({ balance }) => balance)).toEqual(amounts.map((amount) => BigInt(amount).toString()));
        compared += rows.length;
      }
      expect(compared).toBeGreaterThan(100);
    });

    it("reconciles accounts that are touched later, and handles a reorganisation", async () => {
      const reconciliation = await reconcile();
      await reconciliation.runFor(2);
      const [first, , third] = accounts();
      const sixth = chain.accounts[6] as Address;
      await mine(
        { from: third, ...encodeCall(artifacts.erc20(), story.erc20, "transfer", [first, 0n]) },
        { from: sixth, to: first, value: 5n, gas: 21_000n },
      );
      await reconciliation.runFor(2);
      const sending = encodeCall(artifacts.erc20(), story.erc20, "transfer", [sixth, 3n]);
      await chain.rpc("anvil_reorg", [3, [[{ from: first, to: sending.to, data: sending.data, gas: "0xf4240" }, 1]]]);
      await chain.mine();
      await reconciliation.runFor(2);
      expect(await countUnknown(testDatabase.database)).toBe(0);
      const expected = await tablesOfArchiveIndex();
      const reconciled = await tokenTables(testDatabase);
      for (const table of Object.keys(expected) as (keyof typeof expected)[]) expect(reconciled[table], table).toEqual(expected[table]);
    });

    it("starts from the stored base balances when the projection is rebuilt, without reading them from the node", async () => {
      const reconciliation = await reconcile();
      await reconciliation.runFor(2);
      const before = await tokenTables(testDatabase);
      await reconciliation.end();
      await testDatabase.database.query("UPDATE projection_checkpoints SET version = 0 WHERE projection = 'tokens'");
      proxy.counts.clear();
      const restarted = await reconcile();
      await restarted.runFor(0);
      expect((await testDatabase.database.query("SELECT 1 FROM balances WHERE standard < 3 AND balance IS NULL")).length).toBe(0);
      await restarted.runFor(2);
      const after = await tokenTables(testDatabase);
      for (const table of Object.keys(before) as (keyof typeof before)[]) expect(after[table], table).toEqual(before[table]);
    });
  });
};
