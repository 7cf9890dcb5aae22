import { bytes } from "../../../database/codecs.ts";
import { jsonArrayOf } from "../../../database/columns.ts";
import type { Database } from "../../../database/database.ts";
import { createPageReader, type PageStart } from "../../../database/page-reader.ts";
import { identifier, plannedOnce, type Sql, sql } from "../../../database/sql.ts";
import type { Address, Hash } from "../../../lib/hex.ts";
import { branchAt, isOnBranch } from "../../ledger/queries/branch.ts";
import { isAtPositions, positionParameters, type TransactionPosition } from "../../ledger/queries/transaction.ts";
import { standards } from "../projection/standards.ts";

/** A transfer of an ERC-20 token, and the balances right after it; null if unknown. */
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

/** The max total that is counted; a higher total is null. */
const maxCounted = 10_000;

/** A page as lists (see database/columns.ts), and the bounds of the range; null if there is no transaction on that side. */
interface PositionColumns {
  readonly lowest: number | null;
  readonly highest: number | null;
  readonly blocks: readonly number[];
  readonly indexes: readonly number[];
}

/**
 * $5 transactions with a transfer from or to an address ($2) in a block range ($3 to $4), newest first, after skipping $6. The bounds are served by
 * transfer_transactions_block, the page by the primary key; ordinals have no gaps.
 */
const selectPositions = plannedOnce(sql`WITH bounds AS MATERIALIZED (SELECT
    (SELECT ordinal FROM transfer_transactions WHERE chain_id = $1 AND address = $2 AND block_number >= $3 ORDER BY block_number, ordinal LIMIT 1) AS lowest,
    (SELECT ordinal FROM transfer_transactions WHERE chain_id = $1 AND address = $2 AND block_number <= $4
     ORDER BY block_number DESC, ordinal DESC LIMIT 1) AS highest)
  SELECT lowest, highest, blocks, indexes FROM bounds CROSS JOIN LATERAL (
    SELECT ${jsonArrayOf("block_number")} AS blocks, ${jsonArrayOf("transaction_index")} AS indexes FROM (
      SELECT block_number, transaction_index FROM transfer_transactions
      WHERE chain_id = $1 AND address = $2 AND ordinal BETWEEN greatest(lowest, highest - $6::int8 - $5::int8 + 1) AND highest - $6::int8
      ORDER BY ordinal DESC LIMIT $5::int8) page) positions`);

/**
 * Transactions in which an address ($2) sent or received a token ($3), depending on the column, newest block first, up to a limit. They start at transaction $6
 * of the last block ($5).
 */
const transactionsOfSide = (column: "from_address" | "to_address", limit: Sql) =>
  sql`(SELECT DISTINCT block_number, transaction_index FROM transfers
       WHERE chain_id = $1 AND ${identifier(column)} = $2 AND token = $3 AND standard = ${standards.erc20} AND block_number BETWEEN $4 AND $5
         AND (block_number < $5 OR transaction_index <= $6)
       ORDER BY block_number DESC, transaction_index DESC LIMIT ${limit})`;
const positionsOfToken = (limit: Sql) =>
  sql`(${transactionsOfSide("from_address", limit)} UNION ${transactionsOfSide("to_address", limit)}) positions`;
const newestFirst = sql`ORDER BY block_number DESC, transaction_index DESC`;
const pageOfToken = sql`SELECT * FROM ${positionsOfToken(sql`$7::int8 + $8::int8`)} ${newestFirst} LIMIT $7 OFFSET $8`;
/** The same page, but empty unless the list's last block ($9) has the hash $10. */
const pageOfTokenOnBranch = sql`SELECT * FROM ${positionsOfToken(sql`$7::int8 + $8::int8`)} WHERE ${isOnBranch(sql`$9`, sql`$10`)}
  ${newestFirst} LIMIT $7 OFFSET $8`;
const countOfToken = sql`SELECT count(*) AS count FROM ${positionsOfToken(sql`$7`)}`;
/** Every $8-th of the first $7 transactions, and the hash of the list's last block ($9). */
const pageStartsOfToken = sql`SELECT ${branchAt(sql`$9`)} AS branch, ${jsonArrayOf("block_number")} AS blocks, ${jsonArrayOf("transaction_index")} AS indexes FROM (
    SELECT *, row_number() OVER (${newestFirst}) - 1 AS number FROM (
      SELECT * FROM ${positionsOfToken(sql`$7`)} ${newestFirst} LIMIT $7) transactions) numbered
  WHERE number % $8::int8 = 0`;
/** Larger than the index of any transaction. */
const anyIndex = 2 ** 31 - 1;

const transfersAtPositions = sql`SELECT t.block_number, t.transaction_index, t.ordinal, t.token, t.from_address, t.to_address, t.amount, t.from_balance, t.to_balance
  FROM transfers t
  WHERE t.chain_id = $1 AND ${isAtPositions("t", sql`$4`, sql`$5`)}
    AND t.standard = ${standards.erc20} AND (t.from_address = $2 OR t.to_address = $2) AND ($3::bytea IS NULL OR t.token = $3)
  ORDER BY t.block_number, t.ordinal`;

const positionsIn = (blocks: readonly number[], indexes: readonly number[]): TransactionPosition[] =>
  blocks.map((block_number, row) => ({ block_number, transaction_index: indexes[row] ?? 0 }));

/** Transfer queries. */
export function createTransferQueries({ query }: Pick<Database, "query">) {
  /** A page of the transactions with a transfer from or to an address in a block range, newest first, and the number of all. A page is a range of ordinals. */
  const transferTransactions = async (chainId: number, address: Address, first: number, last: number, limit: number, offset: number) => {
    const [columns] = await query<PositionColumns>(selectPositions, [chainId, bytes(address), first, last, limit, offset]);
    if (columns === undefined || columns.lowest === null || columns.highest === null || columns.highest < columns.lowest)
      return { positions: [], total: 0 };
    const { lowest, highest, blocks, indexes } = columns;
    return { positions: positionsIn(blocks, indexes), total: highest - lowest + 1 };
  };

  const pageAt = createPageReader<TransactionPosition>();

  /**
   * Like `transferTransactions`, for one token; the total is null above 10,000. Served by transfers_from and transfers_to: each side is read, newest block
   * first, only as far as the page or the count requires. All but the last thousand of the rows before a page are skipped once (`createPageReader`).
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
    const parametersFrom = (key: TransactionPosition | null) => [
      chainId,
      bytes(address),
      bytes(token),
      first,
      key?.block_number ?? last,
      key?.transaction_index ?? anyIndex,
    ];
    const list = {
      id: JSON.stringify([chainId, address, token, first, last]),
      locate: async (from: TransactionPosition | null, spacing: number, count: number) => {
        const [row] = await query<{ branch: Hash | null; blocks: number[]; indexes: number[] }>(pageStartsOfToken, [
          ...parametersFrom(from),
          (count - 1) * spacing + 1,
          spacing,
          last,
        ]);
        return { branch: row?.branch ?? null, keys: positionsIn(row?.blocks ?? [], row?.indexes ?? []) };
      },
      read: (start: PageStart<TransactionPosition> | null, rest: number) =>
        start === null
          ? query<TransactionPosition>(pageOfToken, [...parametersFrom(null), limit, rest])
          : query<TransactionPosition>(pageOfTokenOnBranch, [...parametersFrom(start.key), limit, rest, last, bytes(start.branch)]),
    };
    const [positions, counted] = await Promise.all([
      pageAt(list, offset),
      query<{ count: number }>(countOfToken, [...parametersFrom(null), maxCounted + 1]),
    ]);
    const count = counted[0]?.count ?? 0;
    return { positions, total: count > maxCounted ? null : count };
  };

  /** An address's ERC-20 transfers in the given transactions, in chain order. Served by the primary key: each block is read once. */
  const transfersAt = (chainId: number, address: Address, token: Address | null, positions: readonly TransactionPosition[]) =>
    query<TransferRow>(transfersAtPositions, [
      chainId,
      bytes(address),
      token === null ? null : bytes(token),
      ...positionParameters(positions),
    ]);

  return { transferTransactions, transferTransactionsOfToken, transfersAt };
}
