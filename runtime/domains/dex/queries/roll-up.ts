import { bytes } from "../../../database/codecs.ts";
import type { Queryable } from "../../../database/database.ts";
import { type IndexCache, noIndexCache } from "../../../database/index-cache.ts";
import type { Address } from "../../../lib/hex.ts";
import type { PoolRow } from "../../pools/queries/pool.ts";
import { createExchangeHourQueries } from "./exchange-hours.ts";

/** Hours for which hourly roll-ups are stored, so that the later pages of a list remain available. */
export const retentionHours = 4;

/** An active pool of a ranked list, as announced by its exchange. */
export interface RankedPool extends PoolRow {
  readonly liquidity: string | null;
  readonly volume: string | null;
  readonly week_volume: string | null;
}

/** A priced token of a ranked list; amounts in its smallest unit. */
export interface RankedToken {
  readonly token: Address;
  readonly reserve: string;
  readonly volume: string;
  readonly swaps: number;
}

/** All queries for exchange roll-ups. */
export type RollUpQueries = ReturnType<typeof createRollUpQueries>;

/** Queries for exchange roll-ups; `cache` may cache their totals. Roll-ups are stored between two batches, which increases the content version. */
export const createRollUpQueries = (database: Queryable, cache: IndexCache = noIndexCache) => ({
  ...createExchangeHourQueries(database, cache.lookups("content_versions")),
  ...createRankQueries(database),
});

/** Queries for an hour's ranked lists. */
const createRankQueries = ({ query }: Queryable) => ({
  /** An hour's active pools by rank. Served by the primary key, a range of ranks, and pools_factory for each of them. */
  rankedPools: (chainId: number, factory: Address, hour: number, first: number, limit: number) =>
    query<RankedPool>(
      `SELECT r.pool, p.factory, p.token0, p.token1, r.liquidity, r.volume, r.week_volume FROM exchange_hour_pools r
       JOIN pools p ON p.chain_id = $1 AND p.factory = $2 AND p.pool = r.pool
       WHERE r.chain_id = $1 AND r.factory = $2 AND r.hour = $3 AND r.rank >= $4::int8 AND r.rank < $4::int8 + $5::int8 ORDER BY r.rank`,
      [chainId, bytes(factory), hour, first, limit],
    ),

  /** An hour's priced tokens by rank. Served by the primary key, a range of ranks. */
  rankedTokens: (chainId: number, factory: Address, hour: number, first: number, limit: number) =>
    query<RankedToken>(
      `SELECT token, reserve, volume, swaps FROM exchange_hour_tokens
       WHERE chain_id = $1 AND factory = $2 AND hour = $3 AND rank >= $4::int8 AND rank < $4::int8 + $5::int8 ORDER BY rank`,
      [chainId, bytes(factory), hour, first, limit],
    ),

  /**
   * The tokens after the ranked ones of an hour: the exchange's other tokens up to a block, and `others`, by address. Served by the primary keys: the
   * exchange's tokens, less a range of ranks.
   */
  unrankedTokens: async (
    chainId: number,
    factory: Address,
    hour: number,
    others: readonly Address[],
    block: number,
    limit: number,
    offset: number,
  ): Promise<Address[]> => {
    const rows = await query<{ token: Address }>(
      `SELECT token FROM (
         SELECT token FROM exchange_tokens WHERE chain_id = $1 AND factory = $2 AND block_number <= $5
         UNION SELECT token FROM unnest($4::bytea[]) AS o(token)) t
       WHERE NOT EXISTS (SELECT FROM exchange_hour_tokens r WHERE r.chain_id = $1 AND r.factory = $2 AND r.hour = $3 AND r.token = t.token)
       ORDER BY token LIMIT $6 OFFSET $7`,
      [chainId, bytes(factory), hour, others.map(bytes), block, limit, offset],
    );
    return rows.map(({ token }) => token);
  },
});
