import { describe, expect, it } from "vitest";
import type { Address, Hex } from "../../../../../../runtime/lib/hex.ts";
import { balancesOf } from "../support.ts";
import { countUnknown } from "./count-unknown.ts";
import { accounts, callUnlogged, chain, indexOptions, mine, proxy, quantity, reconcile, testDatabase, unlogged } from "./setup.ts";

/** Tests of failing nodes, restarts and tokens whose events do not add up. */
export const describeUnusualCases = (): void => {
  describe("an index that starts late on a node without old state", () => {
    it("writes nothing while the node's block at the indexed head has a different hash", async () => {
      let isHashReplaced = false;
      const hideState = proxy.tamper;
      proxy.tamper = (method, response, params) => {
        hideState?.(method, response, params);
        // The job compares the block with a request by number and without transactions.
        if (method !== "eth_getBlockByNumber" || params[1] !== false || Number.isNaN(Number(params[0]))) return;
        if (isHashReplaced) response.result = { ...(response.result as object), hash: `0x${"d".repeat(64)}` };
      };
      const reconciliation = await reconcile();
      await reconciliation.runFor(0);
      const unknown = await countUnknown(testDatabase.database);
      isHashReplaced = true;
      await reconciliation.runFor(2);
      expect(await countUnknown(testDatabase.database)).toBe(unknown);
      isHashReplaced = false;
      await reconciliation.runFor(2);
      expect(await countUnknown(testDatabase.database)).toBe(0);
    });

    it("continues after node errors and after a restart", async () => {
      const reconciliation = await reconcile();
      await reconciliation.runFor(0);
      const hideState = proxy.tamper;
      proxy.tamper = (method, response) => {
        if (method !== "eth_call" && method !== "eth_getBalance") return;
        delete response.result;
        response.error = { code: -32000, message: "header not found" };
      };
      await reconciliation.runFor(2);
      expect(await countUnknown(testDatabase.database)).toBeGreaterThan(15);
      await reconciliation.end();
      proxy.tamper = hideState;
      const restarted = await reconcile();
      await restarted.runFor(2);
      expect(await countUnknown(testDatabase.database)).toBe(0);
    });

    it("has native balances from the head on if they are read from state and old state is pruned", async () => {
      const byState = { chain: { ...indexOptions().chain, nativeAccounting: "state" as const } };
      const reconciliation = await reconcile(byState);
      await reconciliation.runFor(0);
      const pending = await testDatabase.database.query(
        "SELECT 1 FROM balances WHERE standard = 0 AND balance IS NULL AND net_change IS NULL",
      );
      expect(pending.length).toBeGreaterThan(2);
      await reconciliation.runFor(2);
      const head = await chain.head();
      const rows = await testDatabase.database.query<{ owner: Address; balance: string }>(
        "SELECT owner, balance FROM balances WHERE standard = 0",
      );
      const returned = await chain.batch<Hex>(rows.map(({ owner }) => ({ method: "eth_getBalance", params: [owner, quantity(head)] })));
      expect(rows.length).toBeGreaterThan(5);
      expect(rows.map(({ balance }) => balance)).toEqual(returned.map((amount) => BigInt(amount).toString()));
      const periods = await testDatabase.database.query<{ owner: Address; from_block: number; balance: string | null }>(
        "SELECT owner, from_block, balance FROM balance_periods WHERE standard = 0",
      );
      for (const { owner, from_block, balance } of periods) {
        if (balance === null) continue;
        expect(balance, `${owner} at ${from_block}`).toBe(
          BigInt(await chain.rpc<Hex>("eth_getBalance", [owner, quantity(from_block)])).toString(),
        );
      }
    });

    it("leaves a collection balance unknown if its events do not add up to the node's balance", async () => {
      const reconciliation = await reconcile();
      await reconciliation.runFor(0);
      const second = Buffer.from(accounts()[1].slice(2), "hex");
      // Plants a two-unit change of an id that exists only once.
      const planted = await testDatabase.database.query<{ token_id: string }>(
        `UPDATE nft_balances SET net_change = 2 WHERE (owner, token, token_id) = (SELECT owner, token, token_id FROM nft_balances
         WHERE owner = $1 AND standard = 2 AND net_change IS NOT NULL LIMIT 1) RETURNING token_id`,
        [second],
      );
      expect(planted).toHaveLength(1);
      await reconciliation.runFor(4);
      const rows = await testDatabase.database.query<{ token_id: string; balance: string | null; net_change: string | null }>(
        "SELECT token_id, balance, net_change FROM nft_balances WHERE owner = $1 AND standard = 2 AND balance IS NULL",
        [second],
      );
      expect(rows).toEqual([{ token_id: planted[0]?.token_id, balance: null, net_change: null }]);
      expect(await countUnknown(testDatabase.database)).toBe(0);
      expect(await testDatabase.database.query("SELECT token FROM node_sourced_tokens")).toEqual([]);
    });

    it("marks a token as node-sourced if a base balance would be below zero, and writes no negative balance", async () => {
      const [first, second, third] = accounts();
      // Since the first indexed block, events moved 30 to second and 25 away. The remaining 5 and first's 70 are burned without an event.
      await mine(
        callUnlogged("transfer", [third, 25n], second),
        callUnlogged("burnSilently", [second, 5n]),
        callUnlogged("burnSilently", [first, 70n]),
      );
      await mine(callUnlogged("burnSilently", [third, 20n]));
      const reconciliation = await reconcile();
      await reconciliation.runFor(3);
      const marked = await testDatabase.database.query("SELECT token, events_balance FROM node_sourced_tokens");
      expect(marked).toEqual([{ token: unlogged, events_balance: null }]);
      const head = await chain.head();
      const rows = await testDatabase.database.query<{ owner: Address; balance: string; since_block: number }>(
        "SELECT owner, balance, since_block FROM balances WHERE token = $1 ORDER BY owner",
        [Buffer.from(unlogged.slice(2), "hex")],
      );
      expect(rows).toHaveLength(3);
      const returned = await balancesOf(
        chain,
        rows.map(({ owner }) => ({ owner, token: unlogged, height: head })),
      );
      expect(rows.map(({ balance }) => balance)).toEqual(returned);
      // The node has no older state, so balances are known from the head on.
      expect(new Set(rows.map(({ since_block }) => since_block))).toEqual(new Set([head]));
      const known = await testDatabase.database.query("SELECT 1 FROM balance_periods WHERE token = $1 AND balance IS NOT NULL", [
        Buffer.from(unlogged.slice(2), "hex"),
      ]);
      expect(known).toEqual([]);
      const negative = await testDatabase.database.query(
        "SELECT 1 FROM balances WHERE balance < 0 UNION ALL SELECT 1 FROM balance_periods WHERE balance < 0",
      );
      expect(negative).toEqual([]);
      const [counts] = await testDatabase.database.query<{ holders: number }>(
        "SELECT holders FROM holder_counts WHERE token = $1 ORDER BY block_number DESC LIMIT 1",
        [Buffer.from(unlogged.slice(2), "hex")],
      );
      expect(counts?.holders).toBe(returned.filter((balance) => balance !== "0").length);
    });
  });
};
