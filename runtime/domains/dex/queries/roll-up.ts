import { bytes } from "../../../database/codecs.ts";
import type { Queryable } from "../../../database/database.ts";
import { sql } from "../../../database/sql.ts";
import type { Address } from "../../../lib/hex.ts";
import type { PoolRow } from "../../pools/queries/pool.ts";
import { lastHourOf } from "./spans.ts";

/** Hours for which hourly roll-ups are stored, so that the later pages of a list remain available. */
export const retentionHours = 4;

/** An exchange at the end of an hour. Values are US dollars as decimal digits. */
export interface ExchangeHour {
  readonly hour: number;
  /** The block by which the chain had passed the hour. */
  readonly block_number: number;
  readonly pools: number;
  readonly week_pools: number;
  readonly tokens: number | null;
  readonly ranked_tokens: number;
  readonly liquidity: string | null;
  readonly volume: string | null;
  readonly swaps: number;
  readonly day_volume: string | null;
  readonly day_swaps: number;
}

/** An active pool of a ranked list, as announced by its exchange. */
export interface RankedPool extends PoolRow {
  readonly liquidity: string | null;
  readonly volume: string | null;
  readonly week_volume: string | null;
}

/** A token of a ranked list, whose price is known; amounts in its smallest unit. */
export interface RankedToken {
  readonly token: Address;
  readonly reserve: string;
  readonly volume: string;
  readonly swaps: number;
}

/** All queries for roll-ups of exchanges. */
export type RollUpQueries = ReturnType<typeof createRollUpQueries>;

const columns = sql`hour, block_number, pools, week_pools, tokens, ranked_tokens, liquidity, volume, swaps, day_volume, day_swaps`;

/** Queries for roll-ups of exchanges. */
export const createRollUpQueries = ({ query }: Queryable) => ({
  /** The newest roll-up, not before hour `from`, of an hour that the chain had passed by a block. Served by the primary key. */
  newestHour: async (chainId: number, factory: Address, from: number, block: number): Promise<ExchangeHour | null> => {
    const rows = await query<ExchangeHour>(
      sql`SELECT ${columns} FROM exchange_hours
          WHERE chain_id = $1 AND factory = $2 AND hour >= $3 AND block_number <= $4 ORDER BY hour DESC LIMIT 1`,
      [chainId, bytes(factory), from, block],
    );
    return rows[0] ?? null;
  },

  /** The roll-up of an hour that the chain had passed by a block. Served by the primary key. */
  hourAt: async (chainId: number, factory: Address, hour: number, block: number): Promise<ExchangeHour | null> => {
    const rows = await query<ExchangeHour>(
      sql`SELECT ${columns} FROM exchange_hours WHERE chain_id = $1 AND factory = $2 AND hour = $3 AND block_number <= $4`,
      [chainId, bytes(factory), hour, block],
    );
    return rows[0] ?? null;
  },

  /** The roll-ups of whole UTC days, by day. Served by the primary key, one probe per day. */
  wholeDays: async (chainId: number, factory: Address, days: readonly number[]): Promise<(day: number) => ExchangeHour | null> => {
    const rows = await query<ExchangeHour>(
      sql`SELECT ${columns} FROM exchange_hours WHERE chain_id = $1 AND factory = $2 AND hour = ANY ($3::int4[])`,
      [chainId, bytes(factory), days.map(lastHourOf)],
    );
    const byHour = new Map(rows.map((row) => [row.hour, row]));
    return (day) => byHour.get(lastHourOf(day)) ?? null;
  },

  /** Active pools of an hour by rank. Served by the primary key, a range of ranks, and pools_factory for each of them. */
  rankedPools: (chainId: number, factory: Address, hour: number, first: number, limit: number) =>
    query<RankedPool>(
      `SELECT r.pool, p.factory, p.token0, p.token1, r.liquidity, r.volume, r.week_volume FROM exchange_hour_pools r
       JOIN pools p ON p.chain_id = $1 AND p.factory = $2 AND p.pool = r.pool
       WHERE r.chain_id = $1 AND r.factory = $2 AND r.hour = $3 AND r.rank >= $4::int8 AND r.rank < $4::int8 + $5::int8 ORDER BY r.rank`,
      [chainId, bytes(factory), hour, first, limit],
    ),

  /** Priced tokens of an hour by rank. Served by the primary key, a range of ranks. */
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
