import { bytes } from "../../database/codecs.ts";
import type { Database } from "../../database/database.ts";
import { type Address, nativeTokenAddress } from "../../lib/hex.ts";
import { type BalanceSource, joinSource, sourceOf } from "./balance-source.ts";
import type { TokenMetadata } from "./metadata-queries.ts";
import { standards } from "./standards.ts";

/** What an owner had of a token (of collections: how many) after a block; a null balance is not known. */
export interface BalanceRow {
  readonly token: Address;
  readonly standard: number;
  readonly balance: string | null;
}

/** The same with the last transfer up to that block; null where none is indexed. */
export interface HoldingRow extends BalanceRow {
  readonly source: BalanceSource;
  readonly transfer_block: number | null;
  readonly transfer_timestamp: number | null;
}

/** The same with what the token says of itself, as `metadata` tells it. */
export interface HeldTokenRow extends HoldingRow, Omit<TokenMetadata, "address"> {}

/** What an owner had of one token id. */
export interface NftBalanceRow {
  readonly token: Address;
  readonly token_id: string;
  readonly standard: number;
  readonly balance: string | null;
}

/**
 * The rows of an owner ($2) as of a block ($3): those that were set by then, and for each that was set later the period that the block is in.
 * Served by the primary keys: a range of the owner's rows, and one probe for each token touched since.
 */
const asOfBlock = (
  table: "balances" | "nft_balances",
  periods: "balance_periods" | "nft_balance_periods",
  key: readonly string[],
): string => {
  const columns = (alias: string) => key.map((column) => `${alias}.${column}`).join(", ");
  return `(SELECT ${columns("t")}, t.balance, t.since_block FROM ${table} t WHERE t.chain_id = $1 AND t.owner = $2 AND t.since_block <= $3
    UNION ALL
    SELECT ${columns("t")}, p.balance, p.from_block FROM ${table} t CROSS JOIN LATERAL (
      SELECT balance, from_block FROM ${periods} h
      WHERE h.chain_id = t.chain_id AND h.owner = t.owner AND ${key.map((column) => `h.${column} = t.${column}`).join(" AND ")} AND h.from_block <= $3
      ORDER BY h.from_block DESC LIMIT 1) p
    WHERE t.chain_id = $1 AND t.owner = $2 AND t.since_block > $3)`;
};

/** The last transfer of a held token ($2 its owner) up to a block ($3). Served by transfers_from and transfers_to, one probe each. */
const lastTransfer = (column: string): string =>
  `(SELECT block_number FROM transfers WHERE chain_id = $1 AND ${column} = $2 AND token = h.token AND standard = h.standard AND block_number <= $3
    ORDER BY block_number DESC LIMIT 1)`;

const balancesAsOf = asOfBlock("balances", "balance_periods", ["token", "standard"]);
const nftBalancesAsOf = asOfBlock("nft_balances", "nft_balance_periods", ["token", "token_id", "standard"]);

/** Questions about who has what. */
export function createBalanceQueries({ query }: Pick<Database, "query">) {
  /** What an owner held after a block, tokens that were all gone left out, the native token first; any `limit` of them where there are more. */
  const holdingsAt = async (chainId: number, owner: Address, block: number, limit: number): Promise<HeldTokenRow[]> => {
    // A token is touched by its transfers alone; a native balance also by fees and rewards, and one that is read from the node by the reading, so their
    // last transfer is looked up.
    const [rows, native] = await Promise.all([
      query<HeldTokenRow>(
        `WITH held AS MATERIALIZED (
           SELECT token, standard, balance, since_block FROM ${balancesAsOf} h
           WHERE balance IS DISTINCT FROM 0 OR standard = ${standards.native} LIMIT $4),
         sourced_rows AS MATERIALIZED (
           SELECT h.token, h.standard, h.balance, ${sourceOf("h")} AS source,
             CASE WHEN sourced.token IS NULL THEN h.since_block ELSE greatest(${lastTransfer("from_address")}, ${lastTransfer("to_address")}) END AS moved
           FROM held h ${joinSource("h")}),
         -- All heights and all tokens at once: a wallet may hold so many tokens that a probe each would be most of the work.
         times AS (SELECT number, timestamp FROM blocks WHERE chain_id = $1 AND number = ANY (ARRAY(SELECT moved FROM sourced_rows))),
         described AS (
           SELECT address, name, symbol, decimals FROM token_metadata WHERE chain_id = $1 AND address = ANY (ARRAY(SELECT token FROM held))),
         classed AS (
           SELECT address, array_agg(s.standard ORDER BY s.standard) AS standards FROM token_standards s
           WHERE chain_id = $1 AND address = ANY (ARRAY(SELECT token FROM held)) GROUP BY address)
         -- Full joins, though the right sides hold nothing but what was asked for: they are never made by comparing each row with each other one, which the
         -- planner does where it takes a wallet for small.
         SELECT token, standard, balance, source, CASE WHEN standard <> ${standards.native} THEN number END AS transfer_block,
           CASE WHEN standard <> ${standards.native} THEN timestamp END AS transfer_timestamp,
           described.name, described.symbol, described.decimals, coalesce(classed.standards, '{}') AS standards
         FROM sourced_rows FULL JOIN times ON number = moved
         FULL JOIN described ON described.address = token FULL JOIN classed ON classed.address = token ORDER BY standard, token`,
        [chainId, bytes(owner), block, limit],
      ),
      lastNativeTransfer(chainId, owner, block),
    ]);
    return rows.map((row) => (row.standard === standards.native && native !== null ? { ...row, ...native } : row));
  };

  /** The last transfer of native value from or to an address up to a block. Served by transfers_from and transfers_to, one probe each. */
  const lastNativeTransfer = async (chainId: number, owner: Address, block: number) => {
    const side = (column: string) =>
      `(SELECT block_number FROM transfers WHERE chain_id = $1 AND ${column} = $2 AND token = $4 AND block_number <= $3
        ORDER BY block_number DESC LIMIT 1)`;
    const rows = await query<Pick<HoldingRow, "transfer_block" | "transfer_timestamp">>(
      `SELECT number AS transfer_block, timestamp AS transfer_timestamp FROM blocks
       WHERE chain_id = $1 AND number = greatest(${side("from_address")}, ${side("to_address")})`,
      [chainId, bytes(owner), block, bytes(nativeTokenAddress)],
    );
    return rows[0] ?? null;
  };

  /** What an owner had after a block of each token that the index knows it to have had by then. */
  const balancesAt = (chainId: number, owner: Address, block: number) =>
    query<BalanceRow>(`SELECT token, standard, balance FROM ${balancesAsOf} h`, [chainId, bytes(owner), block]);

  /** What an owner had of one token after a block; null if it was never touched up to there. Served by the primary keys. */
  const balanceAt = async (
    chainId: number,
    owner: Address,
    token: Address,
    standard: number,
    block: number,
  ): Promise<Pick<HoldingRow, "balance" | "source"> | null> => {
    const key = "chain_id = $1 AND owner = $2 AND token = $3 AND standard = $4";
    const rows = await query<Pick<HoldingRow, "balance" | "source">>(
      `SELECT h.balance, ${sourceOf("h")} AS source FROM (
         SELECT token, standard, balance FROM balances WHERE ${key} AND since_block <= $5
         UNION ALL
         (SELECT token, standard, balance FROM balance_periods WHERE ${key} AND from_block <= $5 AND to_block >= $5
          ORDER BY from_block DESC LIMIT 1)) h ${joinSource("h")}`,
      [chainId, bytes(owner), bytes(token), standard, block],
    );
    return rows[0] ?? null;
  };

  /** What an owner had by token id after a block, up to `limit`. */
  const nftBalancesAt = (chainId: number, owner: Address, block: number, limit: number) =>
    query<NftBalanceRow>(
      `SELECT token, token_id, standard, balance FROM ${nftBalancesAsOf} h
       WHERE balance IS DISTINCT FROM 0 ORDER BY token, token_id LIMIT $4`,
      [chainId, bytes(owner), block, limit],
    );

  return { holdingsAt, balancesAt, balanceAt, nftBalancesAt };
}
