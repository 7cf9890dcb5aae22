import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Address, zeroAddress } from "../../../../../runtime/lib/hex.ts";
import { artifacts, call, startTestChain, type TestChain } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { multicall, multicallCode } from "../../../../support/multicall.ts";
import { liars } from "./lying-tokens.ts";
import { type Settling, startSettling } from "./support.ts";

const lowOwner: Address = `0x${"1".padStart(40, "0")}`;
let chain: TestChain;
let test: TestDatabase;
let settling: Settling;

beforeAll(async () => {
  [chain, test] = await Promise.all([startTestChain(), createTestDatabase()]);
  await chain.rpc("anvil_setCode", [multicall, await multicallCode(chain)]);
});
afterAll(async () => {
  await settling?.end();
  await chain?.stop();
  await test?.drop();
});

describe("tokens that are compared beside others", () => {
  it("are not taken for liars because another contract moved them in the call that asks for both", async () => {
    const restlessOnes: Address[] = [];
    // Addresses of tokens and owners decide the order in which they are asked: among several pairs some have the restless one first.
    for (let count = 0; count < 6; count += 1) {
      const honest = await chain.deploy(artifacts.erc20(), ["Gold", "GLD"]);
      const restless = await chain.deploy(liars("Restless"), [honest]);
      await chain.send(
        call(artifacts.erc20(), honest, "mint", [restless, 1_000n]),
        call(liars("Restless"), restless, "claim", [zeroAddress, lowOwner, 5n]),
      );
      await chain.mine();
      restlessOnes.push(restless);
    }
    settling = await startSettling(chain, chain.url, test.database);
    await settling.settle();
    expect(settling.warnings).toEqual([]);
    const found = await test.database.query<{ token: Address }>("SELECT token FROM node_sourced_tokens");
    expect(found.map(({ token }) => token).sort()).toEqual(restlessOnes.sort());
    // All were compared.
    expect(await test.database.query("SELECT 1 FROM token_checks WHERE checked_at IS NOT NULL")).toHaveLength(12);
  });
});
