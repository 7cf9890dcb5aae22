import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import { identifier, sql } from "../../../database/sql.ts";
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
  /** An address's first transfer ordinal at or after a block, or null. Served by transfer_transactions_block. */
  const ordinalFrom = async (chainId: number, address: Address, block: number): Promise<number | null> => {
    const rows = await query<{ ordinal: number }>(
      "SELECT ordinal FROM transfer_transactions WHERE chain_id = $1 AND address = $2 AND block_number >= $3 ORDER BY block_number, ordinal LIMIT 1",
      [chainId, bytes(address), block],
    );
    return rows[0]?.ordinal ?? null;
  };

  /** An address's last transfer ordinal at or before a block, or null. Served by transfer_transactions_block. */
  const ordinalUpTo = async (chainId: number, address: Address, block: number): Promise<number | null> => {
    const rows = await query<{ ordinal: number }>(
      "SELECT ordinal FROM transfer_transactions WHERE chain_id = $1 AND address = $2 AND block_number <= $3 ORDER BY block_number DESC, ordinal DESC LIMIT 1",
      [chainId, bytes(address), block],
    );
    return rows[0]?.ordinal ?? null;
  };

  /** The transactions with a transfer from or to an address in a range of blocks, newest first, and their number. A page is a range of ordinals. */
  const transferTransactions = async (chainId: number, address: Address, first: number, last: number, limit: number, offset: number) => {
    const [lowest, highest] = await Promise.all([ordinalFrom(chainId, address, first), ordinalUpTo(chainId, address, last)]);
    if (lowest === null || highest === null || highest < lowest) return { positions: [], total: 0 };
    const newest = highest - offset;
    const positions = await query<TransactionPosition>(
      `SELECT block_number, transaction_index FROM transfer_transactions
       WHERE chain_id = $1 AND address = $2 AND ordinal BETWEEN $3 AND $4 ORDER BY ordinal DESC`,
      [chainId, bytes(address), Math.max(lowest, newest - limit + 1), newest],
    );
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
