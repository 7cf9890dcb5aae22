import type { ChainBlock, NativeAccounting } from "../../chain/types.ts";
import { bytesArray } from "../../database/codecs.ts";
import type { Queryable } from "../../database/database.ts";
import { sql } from "../../database/sql.ts";
import type { StoredLedger } from "../../indexer/types.ts";
import type { Hash } from "../../lib/hex.ts";
import {
  type BalanceRecord,
  type BlockRecord,
  groupItems,
  type LogRecord,
  type TraceRecord,
  type TransactionRecord,
  toBalance,
  toBlocks,
  toLog,
  toTrace,
  toWithdrawal,
  transactionColumns,
  transactionKey,
  type WithdrawalRecord,
} from "./block-records.ts";
import { ledgerProjection } from "./projection/index.ts";

/** The stored ledger: blocks as the node returned them, for projections that are built later. */
export const createStoredLedger = (database: Queryable, chainId: number): StoredLedger => ({
  projection: ledgerProjection,
  blocks: (from, to, accounting) => readBlocks(database, chainId, from, to, accounting),
  blocksWithLogs: (from, to, topics) => readBlocksOfLogs(database, chainId, from, to, topics),
  hashes: async (from, to) => {
    const rows = await database.query<{ number: number; hash: Hash }>(
      "SELECT number, hash FROM blocks WHERE chain_id = $1 AND number BETWEEN $2 AND $3 ORDER BY number",
      [chainId, from, to],
    );
    return new Map(rows.map(({ number, hash }) => [number, hash]));
  },
  lacksBalances: async () => {
    // Served by account_balances_unknown.
    const unknown = await database.query(
      "SELECT 1 FROM account_balances WHERE chain_id = $1 AND (balance IS NULL OR balance_before IS NULL) LIMIT 1",
      [chainId],
    );
    return unknown.length > 0;
  },
  batchEnd: async (from, maxTransactions, maxBlocks) => {
    // Served by the primary key of blocks: reads at most `maxBlocks` rows and sums their transactions.
    const rows = await database.query<{ number: number; weight: number }>(
      `SELECT number, sum(transaction_count) OVER (ORDER BY number)::int8 AS weight FROM (
         SELECT number, transaction_count FROM blocks WHERE chain_id = $1 AND number >= $2 ORDER BY number LIMIT $3) b ORDER BY number`,
      [chainId, from, maxBlocks],
    );
    const withinLimit = rows.filter(({ weight }) => weight <= maxTransactions);
    return (withinLimit.at(-1) ?? rows[0])?.number ?? null;
  },
});

const transactionsOfBlocks = sql`SELECT ${transactionColumns} FROM transactions
  WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3 ORDER BY block_number, transaction_index`;
const transactionsOfLogs = sql`SELECT ${transactionColumns} FROM transactions
  WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3 AND (block_number, transaction_index) IN (
    SELECT block_number, transaction_index FROM logs WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3 AND topic0 = ANY ($4::bytea[]))
  ORDER BY block_number, transaction_index`;

/** Reads blocks with their contents; each statement reads a range of its table's primary key. */
const readBlocks = async (
  database: Queryable,
  chainId: number,
  from: number,
  to: number,
  accounting: NativeAccounting,
): Promise<ChainBlock[]> => {
  const range = [chainId, from, to];
  const [blocks, transactions, logs, traces, withdrawals, balances] = await Promise.all([
    database.query<BlockRecord>("SELECT * FROM blocks WHERE chain_id = $1 AND number BETWEEN $2 AND $3 ORDER BY number", range),
    database.query<TransactionRecord>(transactionsOfBlocks.text, range),
    database.query<LogRecord>(
      "SELECT * FROM logs WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3 ORDER BY block_number, log_index",
      range,
    ),
    database.query<TraceRecord>(
      "SELECT * FROM traces WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3 ORDER BY block_number, transaction_index, trace_index",
      range,
    ),
    database.query<WithdrawalRecord>(
      "SELECT * FROM withdrawals WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3 ORDER BY block_number, withdrawal_index",
      range,
    ),
    accounting === "state"
      ? database.query<BalanceRecord>(
          "SELECT * FROM account_balances WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3 ORDER BY block_number, address",
          range,
        )
      : [],
  ]);
  const contents = {
    logs: groupItems(logs, transactionKey, toLog),
    traces: accounting === "none" ? null : groupItems(traces, transactionKey, toTrace),
    withdrawals: groupItems(withdrawals, (row) => row.block_number, toWithdrawal),
    balances: accounting === "state" ? groupItems(balances, (row) => row.block_number, toBalance) : null,
  };
  return toBlocks(blocks, transactions, contents);
};

/** Reads blocks with some of their logs. Each statement reads a range of its table's primary key. */
const readBlocksOfLogs = async (
  database: Queryable,
  chainId: number,
  from: number,
  to: number,
  topics: readonly Hash[],
): Promise<ChainBlock[]> => {
  const range = [chainId, from, to];
  const rangeOfTopics = [...range, bytesArray(topics)];
  const [blocks, transactions, logs] = await Promise.all([
    database.query<BlockRecord>("SELECT * FROM blocks WHERE chain_id = $1 AND number BETWEEN $2 AND $3 ORDER BY number", range),
    database.query<TransactionRecord>(transactionsOfLogs.text, rangeOfTopics),
    database.query<LogRecord>(
      `SELECT * FROM logs WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3 AND topic0 = ANY ($4::bytea[]) ORDER BY block_number, log_index`,
      rangeOfTopics,
    ),
  ]);
  return toBlocks(blocks, transactions, {
    logs: groupItems(logs, transactionKey, toLog),
    traces: null,
    withdrawals: new Map(),
    balances: null,
  });
};
