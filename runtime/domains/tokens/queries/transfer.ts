import { bytes } from "../../../database/codecs.ts";
import { listOf } from "../../../database/columns.ts";
import type { Database } from "../../../database/database.ts";
import { identifier, plannedOnce, sql } from "../../../database/sql.ts";
import type { Address } from "../../../lib/hex.ts";
import { isAtPositions, positionParameters, type TransactionPosition } from "../../ledger/queries/transaction.ts";
import { standards } from "../projection/standards.ts";

/** A transfer of an ERC-20 token. Its balances are those right after the transfer, null if unknown. */
export interface TransferRow {
  readonly block_number: number;
  readonly transaction_index: number;
  readonly ordinal: number;
  readonly token: Address;
  readonly from_address: Address;
  readonly to_address: Address;
  readonly amount: string;
  readonly from_balance: string | null;
  readonly to_balance: string | null;
}

const maxCounted = 10_000;

/** A page as lists (see database/columns.ts), and the bounds of the range; null without a transaction on that side. */
interface PositionColumns {
  readonly lowest: number | null;
  readonly highest: number | null;
  readonly blocks: readonly number[];
  readonly indexes: readonly number[];
}

/**
 * $5 transactions after the newest $6 of those with a transfer of an address ($2) in a range of blocks ($3 to $4). The bounds are served by
 * transfer_transactions_block, the page by the primary key; ordinals have no gaps.
 */
const selectPositions = plannedOnce(sql`WITH bounds AS MATERIALIZED (SELECT
    (SELECT ordinal FROM transfer_transactions WHERE chain_id = $1 AND address = $2 AND block_number >= $3 ORDER BY block_number, ordinal LIMIT 1) AS lowest,
    (SELECT ordinal FROM transfer_transactions WHERE chain_id = $1 AND address = $2 AND block_number <= $4
     ORDER BY block_number DESC, ordinal DESC LIMIT 1) AS highest)
  SELECT lowest, highest, blocks, indexes FROM bounds CROSS JOIN LATERAL (
    SELECT ${listOf("block_number")} AS blocks, ${listOf("transaction_index")} AS indexes FROM (
      SELECT block_number, transaction_index FROM transfer_transactions
      WHERE chain_id = $1 AND address = $2 AND ordinal BETWEEN greatest(lowest, highest - $6::int8 - $5::int8 + 1) AND highest - $6::int8
      ORDER BY ordinal DESC LIMIT $5::int8) page) positions`);

/** Transactions in which an address ($2) is the sender or the recipient, by column, of a token ($3), newest block first, up to $6. */
const transactionsOfSide = (column: "from_address" | "to_address") =>
  sql`(SELECT DISTINCT block_number, transaction_index FROM transfers
       WHERE chain_id = $1 AND ${identifier(column)} = $2 AND token = $3 AND standard = ${standards.erc20} AND block_number BETWEEN $4 AND $5
       ORDER BY block_number DESC, transaction_index DESC LIMIT $6)`;
const positionsOfToken = sql`(${transactionsOfSide("from_address")} UNION ${transactionsOfSide("to_address")}) positions`;
const pageOfToken = sql`SELECT * FROM ${positionsOfToken} ORDER BY block_number DESC, transaction_index DESC LIMIT $7 OFFSET $8`;
const countOfToken = sql`SELECT count(*) AS count FROM ${positionsOfToken}`;

const transfersAtPositions = sql`SELECT t.block_number, t.transaction_index, t.ordinal, t.token, t.from_address, t.to_address, t.amount, t.from_balance, t.to_balance
  FROM transfers t
  WHERE t.chain_id = $1 AND ${isAtPositions("t", sql`$4`, sql`$5`)}
    AND t.standard = ${standards.erc20} AND (t.from_address = $2 OR t.to_address = $2) AND ($3::bytea IS NULL OR t.token = $3)
  ORDER BY t.block_number, t.ordinal`;

/** Transfer queries. */
export function createTransferQueries({ query }: Pick<Database, "query">) {
  /** The transactions with a transfer from or to an address in a range of blocks, newest first, and their number. A page is a range of ordinals. */
  const transferTransactions = async (chainId: number, address: Address, first: number, last: number, limit: number, offset: number) => {
    const [columns] = await query<PositionColumns>(selectPositions, [chainId, bytes(address), first, last, limit, offset]);
    if (columns === undefined || columns.lowest === null || columns.highest === null || columns.highest < columns.lowest)
      return { positions: [], total: 0 };
    const { lowest, highest, blocks, indexes } = columns;
    const positions = blocks.map((block_number, row): TransactionPosition => ({ block_number, transaction_index: indexes[row] ?? 0 }));
    return { positions, total: highest - lowest + 1 };
  };

  /**
   * Like `transferTransactions`, for one token; the total is null above 10,000. Served by transfers_from and transfers_to: each side is read, newest block
   * first, only as far as the page or the count requires.
   */
  const transferTransactionsOfToken = async (
    chainId: number,
    address: Address,
    token: Address,
    first: number,
    last: number,
    limit: number,
    offset: number,
  ) => {
    const parameters = [chainId, bytes(address), bytes(token), first, last];
    const [page, counted] = await Promise.all([
      query<TransactionPosition>(pageOfToken, [...parameters, offset + limit, limit, offset]),
      query<{ count: number }>(countOfToken, [...parameters, maxCounted + 1]),
    ]);
    const count = counted[0]?.count ?? 0;
    return { positions: page, total: count > maxCounted ? null : count };
  };

  /** An address's ERC-20 transfers in the given transactions, in the order of the chain. Served by the primary key: each block is read once. */
  const transfersAt = (chainId: number, address: Address, token: Address | null, positions: readonly TransactionPosition[]) =>
    query<TransferRow>(transfersAtPositions, [
      chainId,
      bytes(address),
      token === null ? null : bytes(token),
      ...positionParameters(positions),
    ]);

  return { transferTransactions, transferTransactionsOfToken, transfersAt };
}
