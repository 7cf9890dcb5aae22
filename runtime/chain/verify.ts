import type { Bloom } from "./bloom.ts";
import type { DecodedReply, ReceiptEvidence } from "./decode-block.ts";
import { BadReplyError, BrokenChainError } from "./errors.ts";
import type { ChainBlock, ChainTransaction } from "./types.ts";

/** Checks that some networks fail by design. */
export interface Checks {
  readonly bloom: boolean;
  readonly gasUsed: boolean;
}

type Refuse = (what: string) => never;

/** Checks that the parts of a block belong together and to the requested height. @throws {BadReplyError} with the part that does not. */
export const verifyBlock = ({ block, evidence }: DecodedReply, height: number, bloom: Bloom, checks: Checks, chainId?: number): void => {
  const refuse: Refuse = (what) => {
    throw new BadReplyError(`The node returned an inconsistent block ${height}: ${what}.`);
  };
  if (block.number !== height) refuse(`its number is ${block.number}`);
  for (const [position, transaction] of block.transactions.entries()) {
    const reported = evidence.transactions[position];
    if (reported?.blockHash !== block.hash || reported.index !== position)
      refuse(`transaction ${position} has another block hash or index`);
    // System transactions of some networks have no chain id, or 0.
    if (chainId !== undefined && reported.chainId && reported.chainId !== chainId)
      refuse(`transaction ${position} belongs to chain ${reported.chainId}`);
    verifyReceipt(evidence.receipts[position], transaction, block, position, refuse);
  }
  const logs = block.transactions.flatMap((transaction) => transaction.logs);
  const misplaced = logs.findIndex(({ index }, position) => index !== position);
  if (misplaced >= 0) refuse(`log ${logs[misplaced]?.index} is at the position of log ${misplaced}`);
  if (checks.gasUsed) verifyGas(block, evidence.receipts, refuse);
  if (checks.bloom && bloom(logs) !== evidence.logsBloom) refuse("its logs do not match the logs bloom of its header");
};

const verifyGas = (block: ChainBlock, receipts: readonly ReceiptEvidence[], refuse: Refuse): void => {
  let gasUsed = 0n;
  for (const [position, transaction] of block.transactions.entries()) {
    gasUsed += transaction.gasUsed;
    if (receipts[position]?.cumulativeGasUsed !== gasUsed)
      refuse(`the cumulative gas used of transaction ${position} is not the sum of the gas used`);
  }
  if (gasUsed !== block.gasUsed) refuse(`its transactions used ${gasUsed} gas, but its header reports ${block.gasUsed}`);
};

const verifyReceipt = (
  receipt: ReceiptEvidence | undefined,
  transaction: ChainTransaction,
  block: ChainBlock,
  position: number,
  refuse: Refuse,
): void => {
  if (receipt?.transactionHash !== transaction.hash || receipt.index !== position || receipt.blockHash !== block.hash) {
    refuse(`receipt ${position} belongs to another transaction`);
  }
  for (const log of receipt.logs) {
    const ours = log.blockHash === block.hash && log.transactionHash === transaction.hash && log.transactionIndex === position;
    if (!ours || log.removed) refuse(`a log of receipt ${position} belongs to another transaction`);
  }
};

/** Checks that each block names the one before it as its parent. @throws {BrokenChainError} */
export const verifyChain = (blocks: readonly ChainBlock[]): void => {
  blocks.forEach((block, position) => {
    const parent = blocks[position - 1];
    if (parent !== undefined && (block.parentHash !== parent.hash || block.number !== parent.number + 1)) {
      throw new BrokenChainError(`Block ${block.number} of the node does not follow its block ${parent.number}.`);
    }
  });
};
