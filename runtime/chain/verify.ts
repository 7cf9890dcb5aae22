import type { Bloom } from "./bloom.ts";
import type { BlockWithEvidence, ReceiptEvidence } from "./decode-block.ts";
import { BrokenChainError, InvalidResponseError } from "./errors.ts";
import type { ChainBlock, ChainTransaction } from "./types.ts";

/** Optional checks, which fail by design on some networks. */
export interface Checks {
  readonly bloom: boolean;
  readonly gasUsed: boolean;
}

type Reject = (reason: string) => never;

/** Checks that a block's parts are consistent and belong to the requested height. @throws {InvalidResponseError} */
export const verifyBlock = (
  { block, evidence }: BlockWithEvidence,
  height: number,
  bloom: Bloom,
  checks: Checks,
  chainId?: number,
): void => {
  const reject: Reject = (reason) => {
    throw new InvalidResponseError(`The node returned inconsistent data for block ${height}: ${reason}.`);
  };
  if (block.number !== height) reject(`its number is ${block.number}`);
  for (const [position, transaction] of block.transactions.entries()) {
    const reported = evidence.transactions[position];
    if (reported?.blockHash !== block.hash || reported.index !== position)
      reject(`transaction ${position} has a different block hash or index`);
    // System transactions of some networks have no chain id, or the id 0.
    if (chainId !== undefined && reported.chainId && reported.chainId !== chainId)
      reject(`transaction ${position} belongs to chain ${reported.chainId}`);
    verifyReceipt(evidence.receipts[position], transaction, block, position, reject);
  }
  const logs = block.transactions.flatMap((transaction) => transaction.logs);
  const misplaced = logs.findIndex(({ index }, position) => index !== position);
  if (misplaced >= 0) reject(`log ${logs[misplaced]?.index} is at index ${misplaced}`);
  if (checks.gasUsed) verifyGas(block, evidence.receipts, reject);
  if (checks.bloom && bloom(logs) !== evidence.logsBloom) reject("its logs do not match the logs bloom of its header");
};

const verifyGas = (block: ChainBlock, receipts: readonly ReceiptEvidence[], reject: Reject): void => {
  let gasUsed = 0n;
  for (const [position, transaction] of block.transactions.entries()) {
    gasUsed += transaction.gasUsed;
    if (receipts[position]?.cumulativeGasUsed !== gasUsed)
      reject(`the cumulative gas used of transaction ${position} is not the sum of the gas used`);
  }
  if (gasUsed !== block.gasUsed) reject(`its transactions used ${gasUsed} gas, but its header reports ${block.gasUsed}`);
};

const verifyReceipt = (
  receipt: ReceiptEvidence | undefined,
  transaction: ChainTransaction,
  block: ChainBlock,
  position: number,
  reject: Reject,
): void => {
  if (receipt?.transactionHash !== transaction.hash || receipt.index !== position || receipt.blockHash !== block.hash) {
    reject(`receipt ${position} belongs to another transaction`);
  }
  for (const log of receipt.logs) {
    const belongs = log.blockHash === block.hash && log.transactionHash === transaction.hash && log.transactionIndex === position;
    if (!belongs || log.removed) reject(`a log of receipt ${position} belongs to another transaction`);
  }
};

/** Checks that each block's parent is the previous block. @throws {BrokenChainError} */
export const verifyChain = (blocks: readonly ChainBlock[]): void => {
  blocks.forEach((block, position) => {
    const parent = blocks[position - 1];
    if (parent !== undefined && (block.parentHash !== parent.hash || block.number !== parent.number + 1)) {
      throw new BrokenChainError(
        `The node returned block ${block.number}, whose parent is not the block ${parent.number} that it returned.`,
      );
    }
  });
};
