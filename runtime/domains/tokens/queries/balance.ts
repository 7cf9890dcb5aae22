import { bytes } from "../../../database/codecs.ts";
import { concatenatedAddresses, jsonArrayOf, splitAddresses } from "../../../database/columns.ts";
import type { Database } from "../../../database/database.ts";
import { columnList, identifier, joinSql, plannedOnce, type Sql, sql } from "../../../database/sql.ts";
import type { Address, Hex } from "../../../lib/hex.ts";
import { mapInTurns } from "../../../lib/turns.ts";
import { standards } from "../projection/standards.ts";
import { type BalanceSource, joinSource, sourceOf } from "./balance-source.ts";

/** An owner's balance as of a block (for collections: the number of tokens); null if unknown. */
export interface BalanceRow {
  readonly token: Address;
  readonly standard: number;
  readonly balance: string | null;
}

/** Rows as lists (see database/columns.ts). */
export interface BalanceColumns {
  readonly tokens: Hex;
  readonly standards: readonly number[];
  readonly balances: readonly (string | null)[];
}
/** Lists with their as-of block; null if there is none. */
export interface BalancesBeforeColumns extends BalanceColumns {
  readonly block: number | null;
}

/** A balance and its source. */
export interface SourcedBalance extends Pick<BalanceRow, "balance"> {
  readonly source: BalanceSource;
}

/** An owner's balance of one token id. */
export interface NftBalanceRow {
  readonly token: Address;
  readonly token_id: string;
  readonly standard: number;
  readonly balance: string | null;
}

/**
 * The rows of an owner ($2) as of a block (by default $3): rows that were set by that block, and for each row that was set later, the period that contains the
 * block. `among` restricts them by the first columns of the key. Served by the primary keys: a range of the owner's rows, and one probe per token touched
 * after the block.
 */
export const rowsAsOfBlock = (
  table: "balances" | "nft_balances",
  periods: "balance_periods" | "nft_balance_periods",
  key: readonly string[],
  among: Sql = sql`true`,
  block: Sql = sql`$3`,
): Sql => sql`(SELECT ${columnList(key, "t")}, t.balance, t.since_block FROM ${identifier(table)} t
    WHERE t.chain_id = $1 AND t.owner = $2 AND t.since_block <= ${block} AND ${among}
    UNION ALL
    SELECT ${columnList(key, "t")}, p.balance, p.from_block FROM ${identifier(table)} t CROSS JOIN LATERAL (
      SELECT balance, from_block FROM ${identifier(periods)} h
      WHERE h.chain_id = t.chain_id AND h.owner = t.owner AND ${isSameKey("h", "t", key)} AND h.from_block <= ${block}
      ORDER BY h.from_block DESC LIMIT 1) p
    WHERE t.chain_id = $1 AND t.owner = $2 AND t.since_block > ${block} AND ${among})`;

/**
 * The balance of a row `h` of `rowsAsOfBlock` as of an earlier block: 0 if the owner had never had the token, null if it is unknown. One probe of the
 * primary key for a row that was set after the block.
 */
export const balanceBefore = (
  periods: "balance_periods" | "nft_balance_periods",
  key: readonly string[],
  block: Sql,
): Sql => sql`CASE WHEN h.since_block <= ${block} THEN h.balance ELSE (
    SELECT e.balance FROM (
      (SELECT p.balance, p.from_block FROM ${identifier(periods)} p
       WHERE p.chain_id = $1 AND p.owner = $2 AND ${isSameKey("p", "h", key)} AND p.from_block <= ${block} ORDER BY p.from_block DESC LIMIT 1)
      UNION ALL SELECT 0, -1) e ORDER BY e.from_block DESC LIMIT 1) END`;

const isSameKey = (left: string, right: string, key: readonly string[]): Sql =>
  joinSql(
    key.map((column) => sql`${identifier(`${left}.${column}`)} = ${identifier(`${right}.${column}`)}`),
    sql` AND `,
  );

/** An owner's rows by token and standard as of a block. */
export const balancesAsOf = (block?: Sql): Sql => rowsAsOfBlock("balances", "balance_periods", ["token", "standard"], undefined, block);
/** An owner's rows by token id and standard as of a block ($3). */
export const nftBalancesAsOf = rowsAsOfBlock("nft_balances", "nft_balance_periods", ["token", "token_id", "standard"]);

/** Rows of balances as `BalanceColumns`. */
export const balanceLists = sql`${concatenatedAddresses("token")} AS tokens, ${jsonArrayOf("standard")} AS standards, ${jsonArrayOf(sql`balance::text`)} AS balances`;

const selectBalances = sql`SELECT ${balanceLists} FROM ${balancesAsOf()} h`;

/** An owner's balances as of the last block before a time, or as of block `max` if that is earlier. The block is served by blocks_timestamp. */
export const selectBalancesBefore = (time: Sql, max: Sql): Sql => sql`WITH bound AS MATERIALIZED (
    SELECT least(number, ${max}::int8) AS number FROM blocks WHERE chain_id = $1 AND timestamp < ${time} ORDER BY timestamp DESC, number DESC LIMIT 1)
  SELECT (SELECT number FROM bound) AS block, ${balanceLists} FROM ${balancesAsOf(sql`(SELECT number FROM bound)`)} h`;

const matchesBalance = sql`chain_id = $1 AND owner = $2 AND token = $3 AND standard = $4`;
const selectBalance = sql`SELECT h.balance, ${sourceOf("h")} AS source FROM (
    SELECT token, standard, balance FROM balances WHERE ${matchesBalance} AND since_block <= $5
    UNION ALL
    (SELECT token, standard, balance FROM balance_periods WHERE ${matchesBalance} AND from_block <= $5 AND to_block >= $5
     ORDER BY from_block DESC LIMIT 1)) h ${joinSource("h")}`;

const selectNftBalances = plannedOnce(sql`SELECT token, token_id, standard, balance FROM ${nftBalancesAsOf} h
  WHERE balance IS DISTINCT FROM 0 ORDER BY token, token_id LIMIT $4`);

/** Converts balance lists to rows. */
const toBalances = (columns: BalanceColumns): Promise<BalanceRow[]> =>
  mapInTurns(splitAddresses(columns.tokens), (token, index) => ({
    token,
    standard: columns.standards[index] ?? standards.native,
    balance: columns.balances[index] ?? null,
  }));

/** The balances in the row of `selectBalancesBefore`; null if there is no block before the time. */
export const balancesBeforeIn = async (columns: BalancesBeforeColumns | undefined): Promise<BalanceRow[] | null> =>
  columns === undefined || columns.block === null ? null : toBalances(columns);

/** Balance queries. */
export function createBalanceQueries({ query }: Pick<Database, "query">) {
  /** An owner's balances as of a block, for each token that it had received by that block. */
  const balancesAt = async (chainId: number, owner: Address, block: number): Promise<BalanceRow[]> => {
    const [columns] = await query<BalanceColumns>(selectBalances, [chainId, bytes(owner), block]);
    return columns === undefined ? [] : toBalances(columns);
  };

  /** An owner's balance of one token as of a block; null if no block up to it changed the balance. Served by the primary keys. */
  const balanceAt = async (
    chainId: number,
    owner: Address,
    token: Address,
    standard: number,
    block: number,
  ): Promise<SourcedBalance | null> => {
    const rows = await query<SourcedBalance>(selectBalance, [chainId, bytes(owner), bytes(token), standard, block]);
    return rows[0] ?? null;
  };

  /** Up to `limit` of an owner's balances by token id as of a block. */
  const nftBalancesAt = (chainId: number, owner: Address, block: number, limit: number) =>
    query<NftBalanceRow>(selectNftBalances, [chainId, bytes(owner), block, limit]);

  return { balancesAt, balanceAt, nftBalancesAt };
}
