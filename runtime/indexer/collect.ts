import type { ChainBlock } from "../chain/types.ts";
import type { Tuning } from "./types.ts";

/** Gathers blocks until they make a batch. */
export const createCollector = (tuning: Pick<Tuning, "batchBlocks" | "batchTransactions" | "batchLogs">) => {
  let blocks: ChainBlock[] = [];
  let transactions = 0;
  let logs = 0;
  return {
    add: (portion: readonly ChainBlock[]): void => {
      for (const block of portion) {
        blocks.push(block);
        transactions += block.transactions.length;
        for (const transaction of block.transactions) logs += transaction.logs.length;
      }
    },
    isFull: (): boolean => blocks.length >= tuning.batchBlocks || transactions >= tuning.batchTransactions || logs >= tuning.batchLogs,
    take: (): readonly ChainBlock[] => {
      const taken = blocks;
      blocks = [];
      transactions = 0;
      logs = 0;
      return taken;
    },
  };
};
