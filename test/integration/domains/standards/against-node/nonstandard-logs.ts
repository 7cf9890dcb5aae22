import { describe, expect, it } from "vitest";
import { auditApprovals } from "../../../../../runtime/domains/approvals/audit.ts";
import { auditBalances } from "../../../../../runtime/domains/tokens/jobs/audit-balances.ts";
import { standards } from "../../../../../runtime/domains/tokens/projection/standards.ts";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { dump } from "../../../../support/contents.ts";
import { createTestDatabase } from "../../../../support/database.ts";
import { createTestIndexer } from "../../../../support/indexer/support.ts";
import { balancesOf } from "../../tokens/reconcile-balances/support.ts";
import { addressOf, alice, carol, chain, coins, index, nameOf, projections, proxy, standardsOf, testDatabase } from "./setup.ts";

const rowsOf = <Row extends object>(statement: string) => testDatabase.database.query<Row>(statement);

/** Tests of tokens whose logs do not have the standard format. */
export const describeNonstandardLogs = (): void => {
  describe("tokens with non-standard logs", () => {
    it("have the standard that their contracts implement", async () => {
      const { erc20, erc721 } = standards;
      expect(await standardsOf()).toEqual({
        ...Object.fromEntries(coins.map((name) => [name, [erc20]])),
        Kitties: [erc721],
        cards: [erc721],
        hybrid: [erc20, erc721],
        hybridWithOwnEventName: [erc20, erc721],
        // A contract whose responses fit no standard has the standard of its logs. A standard does not change once it is read.
        EventsOnly: [erc721],
        Greedy: [erc721],
        Switchable: [erc20],
      });
    });

    it("match their contracts' ERC-20 balances", async () => {
      const tokens = [...coins, "hybrid", "hybridWithOwnEventName"].map(addressOf);
      const rows = (
        await rowsOf<{ owner: Address; token: Address; balance: string | null }>("SELECT * FROM balances WHERE standard = 1")
      ).filter(({ token }) => tokens.includes(token));
      const height = await chain.head();
      const returned = await balancesOf(
        chain,
        rows.map(({ owner, token }) => ({ owner, token, height })),
      );
      expect(rows.map(({ balance }) => balance)).toEqual(returned);
      // Alice, bob and carol hold each coin; alice and carol hold one hybrid, alice and bob the other.
      expect(rows).toHaveLength(coins.length * 3 + 4);
      expect(rows.every(({ balance }) => balance !== null && balance !== "0")).toBe(true);
    });

    it("match the owners that ownerOf() returns, and have no ids if they are ERC-20", async () => {
      const ownedIds = await rowsOf<{ token: Address; token_id: string; owner: Address }>(
        "SELECT token, token_id, owner FROM nft_balances WHERE balance > 0 ORDER BY token, token_id",
      );
      expect(ownedIds.filter(({ token }) => coins.some((name) => addressOf(name) === token))).toEqual([]);
      const readable = ownedIds.filter(({ token }) => !["EventsOnly", "Greedy"].includes(nameOf(token) ?? ""));
      const returned = await Promise.all(
        readable.map(({ token, token_id }) =>
          chain.rpc<string>("eth_call", [{ to: token, data: `0x6352211e${BigInt(token_id).toString(16).padStart(64, "0")}` }, "latest"]),
        ),
      );
      expect(readable.map(({ owner }) => owner)).toEqual(returned.map((word) => `0x${word.slice(26)}`));
      // 2 kitties, 1 card, 5 ids of one hybrid, 3 of the other.
      expect(readable).toHaveLength(11);
      const ids = await rowsOf<{ token: Address }>("SELECT DISTINCT token FROM nft_tokens");
      expect(ids.map(({ token }) => nameOf(token)).sort()).toEqual([
        "EventsOnly",
        "Greedy",
        "Kitties",
        "cards",
        "hybrid",
        "hybridWithOwnEventName",
      ]);
    });

    it("match their contracts' allowances", async () => {
      const rows = await rowsOf<{ token: Address; owner: Address; spender: Address; amount: string }>("SELECT * FROM allowances");
      expect(rows.map(({ token, owner, spender, amount }) => [nameOf(token), owner, spender, amount]).sort()).toEqual(
        coins.map((name) => [name, alice, carol, "40"]).sort(),
      );
      expect(await rowsOf("SELECT 1 FROM nft_approvals")).toEqual([]);
    });

    it("pass the audit", async () => {
      const running = await createTestIndexer(chain.url, testDatabase.database, { projections });
      const head = await chain.head();
      for (const height of [head, head - 1, head - 2]) {
        const rows = [
          ...(await auditBalances(testDatabase.database, running.source, 31337, height, 1_000)),
          ...(await auditApprovals(testDatabase.database, running.source, 31337, height, 1_000)),
        ];
        expect(rows.flatMap(({ differences }) => differences)).toEqual([]);
        for (const { subject, comparedCount, unknownCount } of rows.slice(1, 4))
          expect(comparedCount - unknownCount, subject).toBeGreaterThan(1);
      }
      await running.close();
    });

    it("are read once each, and not again when a projection is rebuilt", async () => {
      const before = await dump(testDatabase.database);
      proxy.counts.clear();
      // The rebuild from the stored ledger writes the same rows without any call.
      await testDatabase.database.query("UPDATE projection_checkpoints SET version = 0 WHERE projection <> 'ledger'");
      await index();
      expect(await dump(testDatabase.database)).toEqual(before);
      expect(proxy.counts.get("eth_call") ?? 0).toBe(0);
    });

    it("are read in two calls if they claim EIP-721, in five calls otherwise, and in none if their logs are standard", async () => {
      const callCounts = new Map<string, number>();
      proxy.tamper = (method, _, params) => {
        if (method !== "eth_call") return;
        const [{ to, gas }] = params as [{ to: Address; gas: string }];
        expect(Number(gas)).toBe(500_000);
        callCounts.set(nameOf(to) ?? to, (callCounts.get(nameOf(to) ?? to) ?? 0) + 1);
      };
      const other = await createTestDatabase();
      await index(other.database);
      proxy.tamper = null;
      const readInFiveCalls = [
        "Treasury",
        "AllIndexed",
        "NoneIndexed",
        "IndexedApproval",
        "Kitties",
        "EventsOnly",
        "Switchable",
        "Greedy",
        "hybrid",
        "hybridWithOwnEventName",
      ];
      expect(Object.fromEntries(callCounts)).toEqual({ cards: 2, ...Object.fromEntries(readInFiveCalls.map((name) => [name, 5])) });
      await other.drop();
    });
  });
};
