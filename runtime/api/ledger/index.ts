import type { Handlers } from "../context.ts";
import { getBlock } from "./get-block.ts";
import { getBlockHeights } from "./get-block-heights.ts";
import { getEarliestTransactionsForAddress } from "./get-earliest-transactions-for-address.ts";
import { getLogEventsByAddress } from "./get-log-events-by-address.ts";
import { getLogEventsByTopicHash } from "./get-log-events-by-topic-hash.ts";
import { getLogs } from "./get-logs.ts";
import { getTimeBucketTransactionsForAddress } from "./get-time-bucket-transactions-for-address.ts";
import { getTransaction } from "./get-transaction.ts";
import { getTransactionSummary } from "./get-transaction-summary.ts";
import { getTransactionsForAddress } from "./get-transactions-for-address.ts";
import { getTransactionsForAddressByPage } from "./get-transactions-for-address-by-page.ts";
import { getTransactionsForBlock } from "./get-transactions-for-block.ts";
import { getTransactionsForBlockByPage } from "./get-transactions-for-block-by-page.ts";
import { getTransactionsForBlockHash } from "./get-transactions-for-block-hash.ts";
import { getTransactionsForBlockHashByPage } from "./get-transactions-for-block-hash-by-page.ts";

/** The resolvers of operations about the ledger. */
export const ledgerHandlers = {
  getBlock,
  getBlockHeights,
  getEarliestTransactionsForAddress,
  getLogEventsByAddress,
  getLogEventsByTopicHash,
  getLogs,
  getTimeBucketTransactionsForAddress,
  getTransaction,
  getTransactionSummary,
  getTransactionsForAddress,
  getTransactionsForAddressByPage,
  getTransactionsForBlock,
  getTransactionsForBlockByPage,
  getTransactionsForBlockHash,
  getTransactionsForBlockHashByPage,
} satisfies Partial<Handlers>;
