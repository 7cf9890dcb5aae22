import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import { identifier, plannedOnce, type Sql, sql } from "../../../database/sql.ts";
import type { Address, Hash } from "../../../lib/hex.ts";

/** A transaction with fields of its block. Wei amounts are decimal strings. */
export interface TransactionRow {
  readonly block_number: number;
  readonly block_hash: Hash;
  readonly timestamp: number;
  readonly miner: Address;
  readonly transaction_index: number;
  readonly hash: Hash;
  readonly from_address: Address;
  readonly to_address: Address | null;
  readonly value: string;
  readonly gas_limit: string;
  readonly gas_used: number;
  readonly gas_price: string;
  readonly successful: boolean | null;
  readonly l1_fee: string | null;
  readonly blob_fee: string | null;
}

/** The position of a transaction in the chain. */
export interface TransactionPosition {
  readonly block_number: number;
  readonly transaction_index: number;
}

/**
 * Restricts rows of `alias` to the positions in `positionParameters`. The first parameter restricts the scan to the blocks; the second selects their rows by
 * one number per position. With a join, the planner may compare all rows of a block with all positions in it.
 */
export const isAtPositions = (alias: string, blocks: Sql, positions: Sql): Sql =>
  sql`${identifier(`${alias}.block_number`)} = ANY (${blocks}::int8[])
    AND (${identifier(`${alias}.block_number`)} << 31 | ${identifier(`${alias}.transaction_index`)}) = ANY (${positions}::int8[])`;

/** The parameters of `isAtPositions`: the distinct blocks, and one number per position. */
export const positionParameters = (positions: readonly TransactionPosition[]): readonly [readonly number[], readonly string[]] => [
  [...new Set(positions.map((position) => position.block_number))],
  positions.map((position) => String((BigInt(position.block_number) << 31n) | BigInt(position.transaction_index))),
];

/** The columns of `TransactionRow`, in the order of its fields, from `t` and its block `b`. */
export const transactionColumns = sql`t.block_number, b.hash AS block_hash, b.timestamp, b.miner, t.transaction_index, t.hash, t.from_address, t.to_address,
  t.value, t.gas_limit, t.gas_used, t.gas_price, t.successful, t.l1_fee, t.blob_fee`;
/** The transaction at position `p`, by a probe of the primary key: with a plain join, the planner may read all transactions of the block for each position. */
export const joinTransactionAtPosition = sql`CROSS JOIN LATERAL (
    SELECT * FROM transactions WHERE chain_id = $1 AND block_number = p.block_number AND transaction_index = p.transaction_index LIMIT 1
  ) t JOIN blocks b ON b.chain_id = $1 AND b.number = p.block_number`;

// Ordinals have no gaps, which the planner does not know: without the limit it reads all blocks for a range that it estimates to be long.
const selectOfAddress = plannedOnce(sql`SELECT ${transactionColumns} FROM (
    SELECT * FROM address_transactions WHERE chain_id = $1 AND address = $2 AND ordinal BETWEEN $3 AND $4 ORDER BY ordinal LIMIT $5
  ) p ${joinTransactionAtPosition} ORDER BY p.ordinal`);
const selectAtPositions = plannedOnce(
  sql`SELECT ${transactionColumns} FROM unnest($2::int8[], $3::int4[]) AS p(block_number, transaction_index) ${joinTransactionAtPosition}`,
);

const selectLastOrdinal = plannedOnce(sql`SELECT ordinal FROM address_transactions
  WHERE chain_id = $1 AND address = $2 AND block_number <= $3 ORDER BY block_number DESC, ordinal DESC LIMIT 1`);

/** Transaction queries. */
export function createTransactionQueries({ query }: Pick<Database, "query">) {
  /** An address's number of transactions up to a block: its last ordinal there, plus one. Served by address_transactions_block. */
  const transactionCountOfAddress = async (chainId: number, address: Address, block: number): Promise<number> => {
    const rows = await query<{ ordinal: number }>(selectLastOrdinal, [chainId, bytes(address), block]);
    const last = rows[0];
    return last === undefined ? 0 : last.ordinal + 1;
  };

  /** An address's transactions by ordinal, both ends included, oldest first. Served by the primary key of address_transactions. */
  const transactionsOfAddress = (chainId: number, address: Address, first: number, last: number) =>
    query<TransactionRow>(selectOfAddress, [chainId, bytes(address), first, last, last - first + 1]);

  /** The transactions at the given positions, in no particular order. Served by the primary key. */
  const transactionsAt = (chainId: number, positions: readonly TransactionPosition[]) =>
    query<TransactionRow>(selectAtPositions, [
      chainId,
      positions.map((position) => position.block_number),
      positions.map((position) => position.transaction_index),
    ]);

  return { transactionCountOfAddress, transactionsOfAddress, transactionsAt };
}
