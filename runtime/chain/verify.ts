import type { Bloom } from "./bloom.ts";
import type { DecodedReply, ReceiptEvidence } from "./decode-block.ts";
import { BadReplyError, BrokenChainError } from "./errors.ts";
import type { ChainBlock, ChainTransaction } from "./types.ts";

/** Checks that some networks break by design. */
export interface Checks {
  readonly bloom: boolean;
  readonly gasUsed: boolean;
}

/** Compares a block's parts with each other and with the height asked for. @throws {BadReplyError} naming the part that does not fit. */
export const verifyBlock = ({ block, evidence }: DecodedReply, height: number, bloom: Bloom, checks: Checks): void => {
  const refuse = (what: string): never => {
    throw new BadReplyError(`The node's reply for block ${height} is not one block: ${what}.`);
  };
  if (block.number !== height) refuse(`it says that it is block ${block.number}`);
  let logIndex = 0;
  let gasUsed = 0n;
  block.transactions.forEach((transaction, position) => {
    const said = evidence.transactions[position];
    const receipt = evidence.receipts[position];
    if (said === undefined || receipt === undefined) return refuse(`transaction ${position} has no receipt`);
    if (said.blockHash !== block.hash || said.index !== position) refuse(`transaction ${position} belongs to another place`);
    verifyReceipt(receipt, transaction, block, position, refuse);
    gasUsed += transaction.gasUsed;
    if (checks.gasUsed && receipt.cumulativeGasUsed !== gasUsed) refuse(`the gas used up to transaction ${position} does not add up`);
    for (const log of transaction.logs) {
      if (log.index !== logIndex) refuse(`log ${log.index} stands where log ${logIndex} should be`);
      logIndex += 1;
    }
  });
  if (checks.gasUsed && gasUsed !== block.gasUsed) refuse(`its transactions used ${gasUsed} gas, its header says ${block.gasUsed}`);
  if (checks.bloom && bloom(block.transactions.flatMap(({ logs }) => logs)) !== evidence.logsBloom) {
    refuse("its logs do not give its header's logs bloom");
  }
};

const verifyReceipt = (
  receipt: ReceiptEvidence,
  transaction: ChainTransaction,
  block: ChainBlock,
  position: number,
  refuse: (what: string) => never,
): void => {
  if (receipt.transactionHash !== transaction.hash || receipt.index !== position || receipt.blockHash !== block.hash) {
    refuse(`receipt ${position} is of another transaction`);
  }
  for (const log of receipt.logs) {
    const ours = log.blockHash === block.hash && log.transactionHash === transaction.hash && log.transactionIndex === position;
    if (!ours || log.removed) refuse(`a log of receipt ${position} is of another transaction`);
  }
};

/** Checks that each block names the one before it as its parent. @throws {BrokenChainError} */
export const verifyChain = (blocks: readonly ChainBlock[]): void => {
  blocks.forEach((block, position) => {
    const parent = blocks[position - 1];
    if (parent !== undefined && (block.parentHash !== parent.hash || block.number !== parent.number + 1)) {
      throw new BrokenChainError(`The node's block ${block.number} does not follow its block ${parent.number}.`);
    }
  });
};
