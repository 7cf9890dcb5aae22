import { sql } from "../../../database/sql.ts";
import type { Address, Hash, Hex } from "../../../lib/hex.ts";

/** A log with fields of its block and transaction. */
export interface LogRow {
  readonly block_number: number;
  readonly block_hash: Hash;
  readonly timestamp: number;
  readonly log_index: number;
  readonly transaction_index: number;
  readonly transaction_hash: Hash;
  readonly address: Address;
  readonly topic0: Hash | null;
  readonly topic1: Hash | null;
  readonly topic2: Hash | null;
  readonly topic3: Hash | null;
  readonly data: Hex;
}

/**
 * The columns of `LogRow` of logs `l` and their blocks `b`. The transaction's hash is read by a probe of the primary key for each row: with a join, the
 * planner may read all transactions of the block for each log.
 */
export const logColumns = sql`l.block_number, b.hash AS block_hash, b.timestamp, l.log_index, l.transaction_index,
  (SELECT t.hash FROM transactions t
   WHERE t.chain_id = l.chain_id AND t.block_number = l.block_number AND t.transaction_index = l.transaction_index) AS transaction_hash,
  l.address, l.topic0, l.topic1, l.topic2, l.topic3, l.data`;
