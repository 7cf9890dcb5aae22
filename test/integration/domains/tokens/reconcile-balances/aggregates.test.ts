import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Address, zeroAddress } from "../../../../../runtime/lib/hex.ts";
import { artifacts, encodeCall, startTestChain, type TestChain } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { multicallAddress, multicallCode } from "../../../../support/multicall.ts";
import { type Reconciliation, startReconciliation } from "./support.ts";
import { unusualBalances } from "./unusual-balances.ts";

const lowOwner: Address = `0x${"1".padStart(40, "0")}`;
let chain: TestChain;
let testDatabase: TestDatabase;
let reconciliation: Reconciliation;

beforeAll(async () => {
  [chain, testDatabase] = await Promise.all([startTestChain(), createTestDatabase()]);
  await chain.rpc("anvil_setCode", [multicallAddress, await multicallCode(chain)]);
});
afterAll(async () => {
  await reconciliation?.end();
  await chain?.stop();
  await testDatabase?.drop();
});

describe("tokens that are compared in the same call", () => {
  it("are not marked as node-sourced if another contract moves their balances within that call", async () => {
    const restlessTokens: Address[] = [];
    // Reads are ordered by token and owner address: with several pairs, the restless token comes first in some.
    for (let count = 0; count < 6; count += 1) {
      const honest = await chain.deploy(artifacts.erc20(), ["Gold", "GLD"]);
      const restless = await chain.deploy(unusualBalances("Restless"), [honest]);
      await chain.send(
        encodeCall(artifacts.erc20(), honest, "mint", [restless, 1_000n]),
        encodeCall(unusualBalances("Restless"), restless, "claim", [zeroAddress, lowOwner, 5n]),
      );
      await chain.mine();
      restlessTokens.push(restless);
    }
    reconciliation = await startReconciliation(chain, chain.url, testDatabase.database);
    await reconciliation.runFor();
    expect(reconciliation.warnings).toEqual([]);
    const marked = await testDatabase.database.query<{ token: Address }>("SELECT token FROM node_sourced_tokens");
    expect(marked.map(({ token }) => token).sort()).toEqual(restlessTokens.sort());
    // Both tokens of all six pairs were compared.
    expect(await testDatabase.database.query("SELECT 1 FROM token_checks WHERE checked_at IS NOT NULL")).toHaveLength(12);
  });
});
