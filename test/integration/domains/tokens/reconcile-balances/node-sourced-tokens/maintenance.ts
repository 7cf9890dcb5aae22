import { describe, expect, it } from "vitest";
import { auditBalances } from "../../../../../../runtime/domains/tokens/jobs/audit-balances.ts";
import { encodeCall } from "../../../../../support/chain.ts";
import { dump } from "../../../../../support/contents.ts";
import { createTestIndexer } from "../../../../../support/indexer/support.ts";
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
  rebuild,
  reconciliation,
  testDatabase,
  tokens,
  transfer,
} from "./setup.ts";

/** Tests of comparisons, audits, reorganisations and rebuilds once the tokens are known. */
export const describeMaintenance = (): void => {
  describe("tokens whose balances do not follow from their events", () => {
    it("cause no writes when they are compared again without a change", async () => {
      const before = await dump(testDatabase.database);
      await reconciliation.runFor(10);
      expect(await dump(testDatabase.database)).toEqual(before);
    });

    it("are audited at the block of each reading; the audit finds a planted row", async () => {
      const audit = async () => {
        const running = await createTestIndexer(chain.url, testDatabase.database);
        const rows = await auditBalances(testDatabase.database, running.source, 31337, await chain.head(), 1_000);
        await running.close();
        return rows;
      };
      const rows = await audit();
      expect(rows.flatMap(({ differences }) => differences)).toEqual([]);
      const nodeSourced = rows.find(({ subject }) => subject === "balances read from contracts");
      // Two tokens have three owners each; the third token has no holders.
      expect(nodeSourced?.comparedCount).toBe(6);
      expect(nodeSourced?.unknownCount).toBe(0);
      const plant = (change: string) =>
        testDatabase.database.query(`UPDATE balances SET balance = balance ${change} WHERE token = $1 AND owner = $2`, [
          Buffer.from(tokens.fee.slice(2), "hex"),
          Buffer.from(bob.slice(2), "hex"),
        ]);
      await plant("+ 1");
      expect((await audit()).filter(({ differences }) => differences.length > 0).map(({ subject }) => subject)).toEqual([
        "balances read from contracts",
      ]);
      await plant("- 1");
    });

    it("are read again on the new branch after a reorganisation", async () => {
      await mineEach(transfer("fee", alice, bob, 20n), encodeCall(unusualBalances("Rebasing"), tokens.rebasing, "rebase", [200n]));
      await reconciliation.runFor(65);
      await chain.rpc("anvil_reorg", [
        4,
        [[{ from: alice, to: tokens.fee, data: transfer("fee", alice, bob, 30n).data, gas: "0xf4240" }, 1]],
      ]);
      await chain.mine();
      await reconciliation.runFor(130);
      expect(await compareHistory()).toBe(0);
      await compareResponses();
      const gaps = await testDatabase.database.query(
        `SELECT * FROM (SELECT to_block, lead(from_block) OVER (PARTITION BY owner, token, standard ORDER BY from_block) AS next FROM (
         SELECT owner, token, standard, from_block, to_block FROM balance_periods
         UNION ALL SELECT owner, token, standard, since_block, NULL FROM balances) h) h WHERE to_block + 1 IS DISTINCT FROM next`,
      );
      expect(gaps).toEqual([]);
      expect(await nodeSourcedTokens()).toHaveLength(3);
    });

    it("have the same balances after the projection is rebuilt", async () => {
      const head = await chain.head();
      const readBalances = async () => Promise.all([alice, bob, carol].map((owner) => get(`address/${owner}/balances_v2/`)));
      const balancesOnly = (responses: ResponseData[]) =>
        responses.map(({ items }) => items.map(({ contract_address, balance }: ResponseData) => [contract_address, balance]));
      const before = balancesOnly(await readBalances());
      await rebuild();
      await reconciliation.runFor(2);
      expect(await chain.head()).toBe(head);
      expect(balancesOnly(await readBalances())).toEqual(before);
      expect(await compareHistory()).toBe(0);
    });
  });
};
