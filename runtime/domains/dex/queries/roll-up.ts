import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import type { Address } from "../../../lib/hex.ts";
import type { PoolRow } from "../../pools/queries/pool.ts";
import { lastHourOf } from "./spans.ts";

/** Hourly roll-ups are kept for so many hours, so that the later pages of a list stay readable. */
export const keptHours = 4;

/** An exchange at the end of an hour; worths are US dollars as digits. */
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

/** An active pool in the order of a list, as its exchange announced it. */
export interface RankedPool extends PoolRow {
  readonly liquidity: string | null;
  readonly volume: string | null;
  readonly week_volume: string | null;
}

/** A token whose worth is known, in the order of a list; amounts in its smallest unit. */
export interface RankedToken {
  readonly token: Address;
  readonly reserve: string;
  readonly volume: string;
  readonly swaps: number;
}

/** Everything that can be asked of the roll-ups of exchanges. */
export type RollUpQueries = ReturnType<typeof createRollUpQueries>;

const columns = "hour, block_number, pools, week_pools, tokens, ranked_tokens, liquidity, volume, swaps, day_volume, day_swaps";

/** Questions about exchanges as they were rolled up. */
export function createRollUpQueries({ query }: Pick<Database, "query">) {
  const one = async (condition: string, parameters: readonly unknown[]): Promise<ExchangeHour | null> =>
    (
      await query<ExchangeHour>(`SELECT ${columns} FROM exchange_hours WHERE chain_id = $1 AND factory = $2 AND ${condition}`, parameters)
    )[0] ?? null;

  /** The newest roll-up from an hour on that the chain had passed by a block. Served by the primary key. */
  const newestHour = (chainId: number, factory: Address, from: number, block: number) =>
    one("hour >= $3 AND block_number <= $4 ORDER BY hour DESC LIMIT 1", [chainId, bytes(factory), from, block]);

  /** The roll-up of an hour that the chain had passed by a block. Served by the primary key. */
  const hourAt = (chainId: number, factory: Address, hour: number, block: number) =>
    one("hour = $3 AND block_number <= $4", [chainId, bytes(factory), hour, block]);

  /** The roll-ups of whole UTC days, by day. Served by the primary key, one probe a day. */
  const wholeDays = async (chainId: number, factory: Address, days: readonly number[]): Promise<(day: number) => ExchangeHour | null> => {
    const rows = await query<ExchangeHour>(
      `SELECT ${columns} FROM exchange_hours WHERE chain_id = $1 AND factory = $2 AND hour = ANY ($3::int4[])`,
      [chainId, bytes(factory), days.map(lastHourOf)],
    );
    const byHour = new Map(rows.map((row) => [row.hour, row]));
    return (day) => byHour.get(lastHourOf(day)) ?? null;
  };

  /** Active pools of an hour in their order. Served by the primary key, a range of ranks, and pools_factory for each of them. */
  const rankedPools = (chainId: number, factory: Address, hour: number, first: number, limit: number) =>
    query<RankedPool>(
      `SELECT r.pool, p.factory, p.token0, p.token1, r.liquidity, r.volume, r.week_volume FROM exchange_hour_pools r
       JOIN pools p ON p.chain_id = $1 AND p.factory = $2 AND p.pool = r.pool
       WHERE r.chain_id = $1 AND r.factory = $2 AND r.hour = $3 AND r.rank >= $4::int8 AND r.rank < $4::int8 + $5::int8 ORDER BY r.rank`,
      [chainId, bytes(factory), hour, first, limit],
    );

  /** Tokens of an hour in their order. Served by the primary key, a range of ranks. */
  const rankedTokens = (chainId: number, factory: Address, hour: number, first: number, limit: number) =>
    query<RankedToken>(
      `SELECT token, reserve, volume, swaps FROM exchange_hour_tokens
       WHERE chain_id = $1 AND factory = $2 AND hour = $3 AND rank >= $4::int8 AND rank < $4::int8 + $5::int8 ORDER BY rank`,
      [chainId, bytes(factory), hour, first, limit],
    );

  /**
   * The tokens that follow the ranked ones of an hour: those that the exchange had by a block, `others` among them, by address. Served by the
   * primary keys: the exchange's tokens, less a range of ranks.
   */
  const unrankedTokens = async (
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
  };

  return { newestHour, hourAt, wholeDays, rankedPools, rankedTokens, unrankedTokens };
}
