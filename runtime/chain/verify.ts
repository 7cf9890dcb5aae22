import type { Bloom } from "./bloom.ts";
import type { DecodedReply, ReceiptEvidence } from "./decode-block.ts";
import { BadReplyError, BrokenChainError } from "./errors.ts";
import type { ChainBlock, ChainTransaction } from "./types.ts";

/** Checks that some networks break by design. */
export interface Checks {
  readonly bloom: boolean;
  readonly gasUsed: boolean;
}

type Refuse = (what: string) => never;

/** Compares a block's parts with each other and with the height asked for. @throws {BadReplyError} naming the part that does not fit. */
export const verifyBlock = ({ block, evidence }: DecodedReply, height: number, bloom: Bloom, checks: Checks, chainId?: number): void => {
  const refuse: Refuse = (what) => {
    throw new BadReplyError(`The node's reply for block ${height} is not one block: ${what}.`);
  };
  if (block.number !== height) refuse(`it says that it is block ${block.number}`);
  for (const [position, transaction] of block.transactions.entries()) {
    const said = evidence.transactions[position];
    if (said?.blockHash !== block.hash || said.index !== position) refuse(`transaction ${position} belongs to another place`);
    // Some networks' own transactions name no chain, or chain 0.
    if (chainId !== undefined && said.chainId && said.chainId !== chainId) refuse(`transaction ${position} is of chain ${said.chainId}`);
    verifyReceipt(evidence.receipts[position], transaction, block, position, refuse);
  }
  const logs = block.transactions.flatMap((transaction) => transaction.logs);
  const misplaced = logs.findIndex(({ index }, position) => index !== position);
  if (misplaced >= 0) refuse(`log ${logs[misplaced]?.index} stands where log ${misplaced} should be`);
  if (checks.gasUsed) verifyGas(block, evidence.receipts, refuse);
  if (checks.bloom && bloom(logs) !== evidence.logsBloom) refuse("its logs do not give its header's logs bloom");
};

const verifyGas = (block: ChainBlock, receipts: readonly ReceiptEvidence[], refuse: Refuse): void => {
  let gasUsed = 0n;
  for (const [position, transaction] of block.transactions.entries()) {
    gasUsed += transaction.gasUsed;
    if (receipts[position]?.cumulativeGasUsed !== gasUsed) refuse(`the gas used up to transaction ${position} does not add up`);
  }
  if (gasUsed !== block.gasUsed) refuse(`its transactions used ${gasUsed} gas, its header says ${block.gasUsed}`);
};

const verifyReceipt = (
  receipt: ReceiptEvidence | undefined,
  transaction: ChainTransaction,
  block: ChainBlock,
  position: number,
  refuse: Refuse,
): void => {
  if (receipt?.transactionHash !== transaction.hash || receipt.index !== position || receipt.blockHash !== block.hash) {
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
