import { bytes } from "../../../database/codecs.ts";
import type { Queryable } from "../../../database/database.ts";
import { plannedOnce, type Sql, sql } from "../../../database/sql.ts";
import type { Address } from "../../../lib/hex.ts";
import { standards } from "../../tokens/projection/standards.ts";
import { boundedCount, maxCount } from "./exchange.ts";

/** A pool as announced by one factory. */
export interface PoolRow {
  readonly factory: Address;
  readonly pool: Address;
  readonly token0: Address;
  readonly token1: Address;
}

/** A pool, and an owner's balance of its LP token. */
export interface OwnedPoolRow extends PoolRow {
  /** Null if unknown. */
  readonly balance: string | null;
}

const columns = sql`p.factory, p.pool, p.token0, p.token1`;

/**
 * The first pools of a factory `f` with the token in a column, by address. The condition is BETWEEN, because for equality the planner could choose the order of
 * the primary key and scan it completely for a factory without matching pools.
 */
const withToken = (column: Sql, limit: Sql): Sql =>
  sql`(SELECT ${columns} FROM pools p WHERE p.chain_id = $1 AND ${column} = $3 AND p.factory BETWEEN f.factory AND f.factory AND p.block_number <= $4
       ORDER BY p.factory, p.pool LIMIT ${limit})`;
const poolsWithToken = (limit: Sql): Sql =>
  sql`unnest($2::bytea[]) AS f(factory) CROSS JOIN LATERAL (${withToken(sql`p.token0`, limit)} UNION ALL ${withToken(sql`p.token1`, limit)}) p`;

const selectPoolsOfToken = plannedOnce(sql`SELECT p.* FROM ${poolsWithToken(sql`$7`)} ORDER BY p.pool, p.factory LIMIT $5 OFFSET $6`);
const countPoolsOfToken = plannedOnce(sql`SELECT count(*) AS count FROM ${poolsWithToken(sql`${maxCount + 1}`)}`);

/** Pool queries. Each takes the factories whose announcements are considered. */
export const createPoolListQueries = ({ query }: Pick<Queryable, "query">) => ({
  /** The given contracts that a factory had announced by a block, by address. Served by pools_factory. */
  poolsAt: (chainId: number, factories: readonly Address[], pools: readonly Address[], block: number) =>
    query<PoolRow>(
      sql`SELECT ${columns} FROM pools p
          WHERE p.chain_id = $1 AND p.factory = ANY ($2::bytea[]) AND p.pool = ANY ($3::bytea[]) AND p.block_number <= $4 ORDER BY p.pool`,
      [chainId, factories.map(bytes), pools.map(bytes), block],
    ),

  /** An exchange's pools after an address, by address, including shared ones. Served by pools_factory. */
  poolsAfter: (chainId: number, factory: Address, after: Address | null, block: number, limit: number) =>
    query<PoolRow>(
      sql`SELECT ${columns} FROM pools p
          WHERE p.chain_id = $1 AND p.factory = $2 AND p.pool > $3 AND p.block_number <= $4 ORDER BY p.pool LIMIT $5`,
      [chainId, bytes(factory), after === null ? Buffer.alloc(0) : bytes(after), block, limit],
    ),

  /**
   * Pools with a token, by address, and their number. Served by pools_token0 and pools_token1, which hold the pools of one factory in this order: a page
   * reads only the rows up to its end. The pools are counted only if the page does not contain the last one.
   */
  poolsOfToken: async (
    chainId: number,
    factories: readonly Address[],
    token: Address,
    block: number,
    limit: number,
    offset: number,
  ): Promise<{ rows: PoolRow[]; total: number | null }> => {
    const parameters = [chainId, factories.map(bytes), bytes(token), block];
    const rows = await query<PoolRow>(selectPoolsOfToken, [...parameters, limit, offset, offset + limit]);
    const isEnd = rows.length < limit && (rows.length > 0 || offset === 0);
    if (isEnd && offset + rows.length <= maxCount) return { rows, total: offset + rows.length };
    return { rows, total: boundedCount(await query<{ count: number }>(countPoolsOfToken, parameters)) };
  },

  /**
   * The pools whose LP token an owner held at a block, by address. The owner's tokens are a range of the primary key of balances; each is looked up in
   * pools_factory. A pool whose balance has changed after the block takes one probe of balance_periods.
   */
  poolsOfOwner: (chainId: number, factories: readonly Address[], owner: Address, block: number, limit: number) =>
    query<OwnedPoolRow>(
      sql`SELECT * FROM (
            SELECT ${columns}, CASE WHEN b.since_block <= $4 THEN b.balance ELSE (
              SELECT h.balance FROM balance_periods h
              WHERE h.chain_id = $1 AND h.owner = $3 AND h.token = b.token AND h.standard = ${standards.erc20} AND h.from_block <= $4
              ORDER BY h.from_block DESC LIMIT 1) END AS balance,
              b.since_block <= $4 OR EXISTS (
                SELECT FROM balance_periods h
                WHERE h.chain_id = $1 AND h.owner = $3 AND h.token = b.token AND h.standard = ${standards.erc20} AND h.from_block <= $4) AS touched
            FROM balances b JOIN pools p ON p.chain_id = $1 AND p.factory = ANY ($2::bytea[]) AND p.pool = b.token AND p.block_number <= $4
            WHERE b.chain_id = $1 AND b.owner = $3 AND b.standard = ${standards.erc20}) owned
          WHERE touched AND balance IS DISTINCT FROM 0 ORDER BY pool, factory LIMIT $5`,
      [chainId, factories.map(bytes), bytes(owner), block, limit],
    ),
});
