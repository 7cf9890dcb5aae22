import type { Hex } from "../../runtime/lib/hex.ts";
import type { NodeClient } from "../node/client.ts";
import type { Miner } from "./miner.ts";
import type { Call } from "./types.ts";

const blocksPerBatch = 40;

interface Receipt {
  readonly transactionHash: Hex;
  readonly status: Hex;
}

const unexpectedOutcome = ({ from, to, data }: Call, hasFailed: boolean, position: number): Error => {
  const outcome = hasFailed ? "failed" : "succeeded, but should have failed";
  return new Error(
    `Transaction ${position} of the demo, from ${from} to ${to} (${data === undefined ? "no data" : data.slice(0, 10)}), ${outcome}`,
  );
};

/** Verifies the chain against the plan: every transaction was mined once and in order, and failed only if expected. */
export const verifyStory = async (node: NodeClient, miner: Miner): Promise<void> => {
  let position = 0;
  for (let first = 1; first <= miner.height(); first += blocksPerBatch) {
    const count = Math.min(blocksPerBatch, miner.height() - first + 1);
    const calls = Array.from({ length: count }, (_, index) => ({
      method: "eth_getBlockReceipts",
      parameters: [`0x${(first + index).toString(16)}`],
    }));
    for (const receipt of (await node.batch<readonly Receipt[]>(calls)).flat()) {
      const planned = miner.minedTransactions[position];
      if (planned?.hash !== receipt.transactionHash)
        throw new Error(`Transaction ${position} of the demo was not mined in its planned order`);
      const hasFailed = receipt.status === "0x0";
      if (hasFailed !== (planned.call.shouldFail === true)) throw unexpectedOutcome(planned.call, hasFailed, position);
      position += 1;
    }
  }
  if (position !== miner.minedTransactions.length)
    throw new Error(`The demo's node mined ${position} of ${miner.minedTransactions.length} transactions`);
};
