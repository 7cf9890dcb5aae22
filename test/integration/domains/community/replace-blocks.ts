import type { createRandom } from "../../../../demo/story/random.ts";
import type { Hex } from "../../../../runtime/lib/hex.ts";
import type { TestChain, TestTransaction } from "../../../support/chain.ts";

/** Replaces the last `depth` blocks with the same number of blocks that contain the given transactions, and adds an empty block. */
export const replaceBlocks = async (
  chain: TestChain,
  depth: number,
  random: ReturnType<typeof createRandom>,
  transactions: readonly TestTransaction[],
): Promise<void> => {
  const calls = transactions.map((transaction) => {
    const { value, ...fields } = { from: chain.accounts[0], ...transaction, gas: "0x4c4b40" as Hex };
    return [value === undefined ? fields : { ...fields, value: `0x${value.toString(16)}` }, random.between(0, depth - 1)];
  });
  await chain.rpc("anvil_reorg", [depth, calls]);
  await chain.mine();
};
