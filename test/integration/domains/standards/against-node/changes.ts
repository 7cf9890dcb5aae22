import { describe, expect, it } from "vitest";
import { auditBalances } from "../../../../../runtime/domains/tokens/jobs/audit-balances.ts";
import { standards } from "../../../../../runtime/domains/tokens/projection/standards.ts";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { dump } from "../../../../support/contents.ts";
import { createTestDatabase } from "../../../../support/database.ts";
import { chainOf, createTestIndexer } from "../../../../support/indexer/support.ts";
import { balancesOf, startReconciliation } from "../../tokens/reconcile-balances/support.ts";
import { nonstandardContracts } from "../contracts.ts";
import { addresses, addressOf, alice, callToken, carol, chain, index, projections, standardsOf, testDatabase, unit } from "./setup.ts";

/** Tests of late indexes, readings from contracts and replaced contracts. */
export const describeChanges = (): void => {
  describe("an index that starts late", () => {
    it("does not count older coins as ids of a contract that has both standards", async () => {
      const late = await createTestDatabase();
      const head = await chain.head();
      const running = await createTestIndexer(chain.url, late.database, { projections, chain: chainOf({ from: head }) });
      await running.runToHead(head);
      await running.close();
      const rows = await late.database.query<{ owner: Address; standard: number; balance: string | null }>(
        "SELECT owner, standard, balance FROM balances WHERE token = $1 ORDER BY standard, owner",
        [Buffer.from(addressOf("hybrid").slice(2), "hex")],
      );
      // Alice had 5 whole tokens and one smallest unit, and sent carol 2 whole tokens, which are also NFTs.
      expect(rows).toEqual(
        [
          { owner: alice, standard: standards.erc20, balance: (3n * unit + 1n).toString() },
          { owner: carol, standard: standards.erc20, balance: (2n * unit).toString() },
          { owner: alice, standard: standards.erc721, balance: null },
          { owner: carol, standard: standards.erc721, balance: null },
        ].sort((left, right) => left.standard - right.standard || (left.owner < right.owner ? -1 : 1)),
      );
      await late.drop();
    });
  });

  describe("a token that emits ids as amounts", () => {
    it("has its contract's balances after reconciliation, and passes the audit", async () => {
      addresses.IdsAsAmounts = await chain.deploy(nonstandardContracts("IdsAsAmounts"));
      await chain.send(callToken("IdsAsAmounts", alice, "mint", [alice, 70n]), callToken("IdsAsAmounts", alice, "mint", [alice, 71n]));
      await chain.mine();
      const other = await createTestDatabase();
      const reconciliation = await startReconciliation(chain, chain.url, other.database);
      await reconciliation.runFor();
      const token = addressOf("IdsAsAmounts");
      const height = await chain.head();
      const rows = await other.database.query("SELECT balance FROM balances WHERE token = $1 AND owner = $2", [
        Buffer.from(token.slice(2), "hex"),
        Buffer.from(alice.slice(2), "hex"),
      ]);
      expect(rows).toEqual((await balancesOf(chain, [{ token, owner: alice, height }])).map((balance) => ({ balance })));
      await reconciliation.end();
      const running = await createTestIndexer(chain.url, other.database);
      const audited = await auditBalances(other.database, running.source, 31337, height, 1_000);
      expect(audited.flatMap(({ differences }) => differences)).toEqual([]);
      await running.close();
      await other.drop();
    });
  });

  describe("a reorganisation", () => {
    it("reads an address's standard again if it replaces the contract", async () => {
      const deployer = chain.accounts[5] as Address;
      const head = await chain.head();
      addresses.Replaced = await chain.deploy(nonstandardContracts("AllIndexed"), [], deployer);
      await chain.send(callToken("Replaced", alice, "mint", [alice, 3n], nonstandardContracts("AllIndexed")));
      await chain.mine();
      await index();
      expect((await standardsOf()).Replaced).toEqual([standards.erc20]);
      await chain.rpc("anvil_reorg", [(await chain.head()) - head, []]);
      // The same deployer and nonce give the same address.
      expect(await chain.deploy(nonstandardContracts("Kitties"), [], deployer)).toBe(addresses.Replaced);
      await chain.send(callToken("Replaced", alice, "mint", [alice, 3n], nonstandardContracts("Kitties")));
      await chain.mine();
      await chain.mine();
      await index();
      expect((await standardsOf()).Replaced).toEqual([standards.erc721]);
      const other = await createTestDatabase();
      await index(other.database);
      const [reorganised, fresh] = [await dump(testDatabase.database), await dump(other.database)];
      expect(reorganised.contract_standards).toEqual(fresh.contract_standards);
      expect(reorganised.balances).toEqual(fresh.balances);
      await other.drop();
    });
  });
};
