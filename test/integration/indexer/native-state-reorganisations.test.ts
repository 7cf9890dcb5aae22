import { describe, expect, it } from "vitest";
import { type Address, nativeTokenAddress } from "../../../runtime/lib/hex.ts";
import { hashContents } from "../../support/contents.ts";
import { startBranching } from "../../support/indexer/branches.ts";

/**
 * While Anvil mines a block, it already returns that block's balances as those of the block before. With a long pause between polls, the index reads
 * the balances after all blocks of a test step are mined.
 */
const pollMilliseconds = 2_000;

describe("native balances from the node's state after a reorganisation", () => {
  it.each([1, 7, 20])("equal the balances of a new index (depth %i)", async (depth) => {
    const branching = await startBranching({ nativeAccounting: "state", pollMilliseconds });
    try {
      await branching.addBlocks();
      await branching.waitForHead();
      await branching.branch(depth, `state ${depth}`, 1);
      await branching.waitForHead();
      expect(await hashContents(branching.testDatabase.database)).toEqual(await branching.freshContents());
      const balances = await branching.testDatabase.database.query<{ owner: Address; balance: string }>(
        `SELECT owner, balance FROM balances WHERE standard = 0 AND token = decode('${nativeTokenAddress.slice(2)}', 'hex')`,
      );
      const reported = await branching.chain.batch<string>(
        balances.map(({ owner }) => ({ method: "eth_getBalance", params: [owner, "latest"] })),
      );
      expect(balances.map(({ balance }) => BigInt(balance))).toEqual(reported.map(BigInt));
    } finally {
      await branching.end();
    }
  });
});
