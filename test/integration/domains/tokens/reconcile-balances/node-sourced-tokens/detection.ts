import { describe, expect, it } from "vitest";
import { createActivityQueries } from "../../../../../../runtime/domains/chains/queries/activity.ts";
import { encodeCall } from "../../../../../support/chain.ts";
import { createTestDatabase } from "../../../../../support/database.ts";
import { startReconciliation } from "../support.ts";
import { unusualBalances } from "../unusual-balances.ts";
import {
  alice,
  bob,
  carol,
  chain,
  compareHistory,
  compareResponses,
  get,
  mineEach,
  nodeSourcedTokens,
  type ResponseData,
  reconciliation,
  testDatabase,
  tokens,
  transfer,
} from "./setup.ts";

/** Tests of how the tokens are detected, and of responses about them. */
export const describeDetection = (): void => {
  describe("tokens whose balances do not follow from their events", () => {
    it("are found by comparison and read from their contracts; consistent and unreadable tokens are not", async () => {
      await reconciliation.runFor();
      expect(reconciliation.warnings).toEqual([]);
      expect(await nodeSourcedTokens()).toEqual([tokens.rebasing, tokens.fee, tokens.phishing].sort());
      expect(reconciliation.notes).toHaveLength(3);
      expect(await compareHistory()).toBe(0);
      await compareResponses();
    });

    it("are marked after a second comparison at a later time", async () => {
      const late = await createTestDatabase();
      const second = await startReconciliation(chain, chain.url, late.database);
      await second.runFor(1);
      expect(await late.database.query("SELECT token FROM node_sourced_tokens")).toEqual([]);
      await second.runFor(1);
      expect(await late.database.query("SELECT token FROM node_sourced_tokens")).toHaveLength(3);
      await second.end();
      await late.drop();
    });

    it("have the contract's holders, no running balances and no supply", async () => {
      const { items, pagination } = await get(`tokens/${tokens.fee}/token_holders_v2/`);
      // Alice sent 300 of 1,000; Bob received 270 and sent 100 of them; Carol received 90.
      expect(
        items.map(({ address, balance, balance_source, total_supply }: ResponseData) => [address, balance, balance_source, total_supply]),
      ).toEqual([
        [alice, "700", "node", null],
        [bob, "170", "node", null],
        [carol, "90", "node", null],
      ]);
      expect(pagination.total_count).toBe(3);
      expect((await get(`tokens/${tokens.phishing}/token_holders_v2/`)).items).toEqual([]);
      const transfers = await testDatabase.database.query(
        "SELECT 1 FROM transfers WHERE token = ANY ($1) AND (from_balance IS NOT NULL OR to_balance IS NOT NULL)",
        [[tokens.fee, tokens.rebasing, tokens.phishing].map((token) => Buffer.from(token.slice(2), "hex"))],
      );
      expect(transfers).toEqual([]);
      const honest = await get(`tokens/${tokens.honest}/token_holders_v2/`);
      expect(honest.items.map(({ balance, balance_source }: ResponseData) => [balance, balance_source])).toEqual([
        ["700", "events"],
        ["200", "events"],
        ["100", "events"],
      ]);
      expect(honest.items[0].total_supply).toBe("1000");
    });

    it("are read again after events of an owner, and on schedule if balances change without an event", async () => {
      await mineEach(transfer("fee", alice, carol, 50n), transfer("rebasing", alice, carol, 50n), transfer("honest", alice, carol, 50n));
      const transferred = await chain.head();
      await reconciliation.runFor();
      expect(await compareHistory()).toBe(0);
      await compareResponses();
      await mineEach(encodeCall(unusualBalances("Rebasing"), tokens.rebasing, "rebase", [300n]), { to: alice, value: 1n, gas: 21_000n });
      await reconciliation.runFor(65);
      await compareResponses();
      expect(await compareHistory()).toBe(0);
      const { items } = await get(`address/${carol}/historical_balances/?block-height=${await chain.head()}`);
      const item = items.find(({ contract_address }: ResponseData) => contract_address === tokens.rebasing);
      // 100 and 50 units, at 300 percent.
      expect([item.balance, item.last_transferred_block_height]).toEqual(["450", transferred - 1]);
      expect(reconciliation.warnings).toEqual([]);
    });

    it("do not count as activity of their holders when they are read", async () => {
      const { lastSeen } = createActivityQueries(testDatabase.database);
      const logs = await chain.rpc<{ topics: string[]; blockNumber: string }[]>("eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest" }]);
      const last = logs.findLast(({ topics }) => topics.some((topic) => topic.endsWith(carol.slice(2))));
      const { timestamp } = await chain.rpc<{ timestamp: string }>("eth_getBlockByNumber", [last?.blockNumber, false]);
      // A reading for carol is newer than the last transfer that she received.
      const [reading] = await testDatabase.database.query<{ since: number }>(
        "SELECT max(since_block) AS since FROM balances WHERE owner = $1",
        [Buffer.from(carol.slice(2), "hex")],
      );
      expect(reading?.since).toBeGreaterThan(Number(last?.blockNumber));
      expect(await lastSeen([31337], carol)).toEqual([{ chain_id: 31337, timestamp: Number(timestamp) }]);
    });

    it("are not delayed by tokens without holders", async () => {
      // Forty tokens without a holder are due before the one that changes.
      await testDatabase.database.query(
        `INSERT INTO node_sourced_tokens (chain_id, token, standard, found_at_block, owner, node_balance, found_at, refreshed_at)
       SELECT chain_id, decode(lpad(to_hex(n), 40, '0'), 'hex'), 1, 0, owner, 0, found_at, '2000-01-01' FROM node_sourced_tokens, generate_series(1, 40) n
       WHERE token = $1`,
        [Buffer.from(tokens.rebasing.slice(2), "hex")],
      );
      await testDatabase.database.query(
        "UPDATE node_sourced_tokens SET refreshed_at = '2001-01-01' WHERE refreshed_at > '2001-01-01' OR refreshed_at IS NULL",
      );
      await mineEach(encodeCall(unusualBalances("Rebasing"), tokens.rebasing, "rebase", [400n]));
      await reconciliation.runFor(5);
      await compareResponses();
      await testDatabase.database.query("DELETE FROM node_sourced_tokens WHERE token < decode(lpad('ff', 40, '0'), 'hex')");
    });
  });
};
