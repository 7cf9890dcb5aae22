import { bytes } from "../../database/codecs.ts";
import type { Database } from "../../database/database.ts";
import type { Address } from "../../lib/hex.ts";
import { standards } from "./standards.ts";

/** What an owner has of a token (for collections: how many), and when that last changed; a null balance is not known. */
export interface BalanceRow {
  readonly token: Address;
  readonly standard: number;
  readonly balance: string | null;
  readonly block_number: number;
  readonly timestamp: number | null;
}

/** What an owner has of one token id. */
export interface NftBalanceRow {
  readonly token: Address;
  readonly token_id: string;
  readonly standard: number;
  readonly balance: string | null;
}

/** Questions about who has what. */
export function createBalanceQueries({ query }: Pick<Database, "query">) {
  /** What an owner has now, tokens that are all gone left out, the native token first, up to `limit`. Served by the primary key of balances. */
  const balancesOf = (chainId: number, owner: Address, limit: number) =>
    query<BalanceRow>(
      `SELECT t.token, t.standard, t.balance, t.block_number, b.timestamp FROM balances t
       LEFT JOIN blocks b ON b.chain_id = t.chain_id AND b.number = t.block_number
       WHERE t.chain_id = $1 AND t.owner = $2 AND (t.balance IS DISTINCT FROM 0 OR t.standard = ${standards.native}) ORDER BY t.standard, t.token LIMIT $3`,
      [chainId, bytes(owner), limit],
    );

  /** What an owner had after a block, of each token that it has now. Served by the primary key of balance_history, one probe a token. */
  const balancesAt = (chainId: number, owner: Address, block: number) =>
    query<Pick<BalanceRow, "token" | "standard" | "balance">>(
      `SELECT t.token, t.standard, h.balance FROM balances t CROSS JOIN LATERAL (
         SELECT balance FROM balance_history h
         WHERE h.chain_id = t.chain_id AND h.owner = t.owner AND h.token = t.token AND h.standard = t.standard AND h.block_number <= $3
         ORDER BY h.block_number DESC LIMIT 1) h
       WHERE t.chain_id = $1 AND t.owner = $2`,
      [chainId, bytes(owner), block],
    );

  /** What an owner had of one token after a block; null if it was never touched up to there. Served by the primary key of balance_history. */
  const balanceAt = async (
    chainId: number,
    owner: Address,
    token: Address,
    standard: number,
    block: number,
  ): Promise<{ balance: string | null } | null> => {
    const rows = await query<{ balance: string | null }>(
      `SELECT balance FROM balance_history WHERE chain_id = $1 AND owner = $2 AND token = $3 AND standard = $4 AND block_number <= $5
       ORDER BY block_number DESC LIMIT 1`,
      [chainId, bytes(owner), bytes(token), standard, block],
    );
    return rows[0] ?? null;
  };

  /** What an owner has by token id, up to `limit`. Served by the primary key of nft_balances. */
  const nftBalancesOf = (chainId: number, owner: Address, limit: number) =>
    query<NftBalanceRow>(
      `SELECT token, token_id, standard, balance FROM nft_balances
       WHERE chain_id = $1 AND owner = $2 AND balance IS DISTINCT FROM 0 ORDER BY token, token_id LIMIT $3`,
      [chainId, bytes(owner), limit],
    );

  return { balancesOf, balancesAt, balanceAt, nftBalancesOf };
}
