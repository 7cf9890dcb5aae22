import { bytes, bytesArray } from "../../../database/codecs.ts";
import type { Queryable } from "../../../database/database.ts";
import { plannedOnce, sql } from "../../../database/sql.ts";
import type { CacheLookups } from "../../../lib/cache-lookups.ts";
import type { Address } from "../../../lib/hex.ts";
import { lastHourOf } from "./spans.ts";

/** An exchange at the end of an hour. Values are US dollars as decimal digits. */
export interface ExchangeHour {
  readonly hour: number;
  /** The first block at or after the end of the hour. */
  readonly block_number: number;
  readonly pools: number;
  /** Pools with a swap in the last seven days. */
  readonly week_pools: number;
  readonly tokens: number | null;
  readonly ranked_tokens: number;
  readonly liquidity: string | null;
  readonly volume: string | null;
  readonly swaps: number;
  readonly day_volume: string | null;
  readonly day_swaps: number;
}

const columns = sql`hour, block_number, pools, week_pools, tokens, ranked_tokens, liquidity, volume, swaps, day_volume, day_swaps`;

/** Served by the primary key. */
const selectHour = plannedOnce(
  sql`SELECT ${columns} FROM exchange_hours WHERE chain_id = $1 AND factory = $2 AND hour = $3 AND block_number <= $4`,
);
/** Served by the primary key, one probe per key. */
const selectNewest = plannedOnce(sql`SELECT k.position::int4 AS position, h.*
  FROM unnest($2::bytea[], $3::int4[], $4::int8[]) WITH ORDINALITY AS k(factory, since, block, position) CROSS JOIN LATERAL (
    SELECT ${columns} FROM exchange_hours
    WHERE chain_id = $1 AND factory = k.factory AND hour >= k.since AND block_number <= k.block ORDER BY hour DESC LIMIT 1) h`);
/** Served by the primary key, one probe per key. */
const selectHours = plannedOnce(sql`SELECT k.position::int4 AS position, h.*
  FROM unnest($2::bytea[], $3::int4[]) WITH ORDINALITY AS k(factory, hour, position) CROSS JOIN LATERAL (
    SELECT ${columns} FROM exchange_hours WHERE chain_id = $1 AND factory = k.factory AND hour = k.hour LIMIT 1) h`);

/** Max cached roll-ups per chain: 30 daily roll-ups of a few hundred exchanges. */
const maxCached = 10_000;

/** Queries for the totals of exchanges by hour; `cache` may cache totals that responses read repeatedly. */
export function createExchangeHourQueries({ query }: Queryable, cache: CacheLookups) {
  /** Looks up roll-ups by keys `factory:…`; the numbers after the factory are the statement's other parameters. */
  const lookUp = (statement: typeof selectHours) =>
    cache<ExchangeHour>(async (chainId, keys) => {
      const [factories = [], ...numbers] = columnsOf(keys.map((key) => key.split(":")));
      const rows = await query<ExchangeHour & { position: number }>(statement, [
        chainId,
        bytesArray(factories),
        ...numbers.map((column) => column.map(Number)),
      ]);
      return new Map(rows.map(({ position, ...hour }) => [keys[position - 1] ?? "", hour]));
    }, maxCached);
  const lookUpNewest = lookUp(selectNewest);
  const lookUpHours = lookUp(selectHours);

  return {
    /** The roll-up of the newest hour, not before `from`, that had ended at or before a block; null if there is none. */
    newestHour: async (chainId: number, factory: Address, from: number, block: number): Promise<ExchangeHour | null> => {
      const key = `${factory}:${from}:${block}`;
      return (await lookUpNewest(chainId, [key])).get(key) ?? null;
    },

    /** The roll-up of an hour; null if it had not ended at or before a block. */
    hourAt: async (chainId: number, factory: Address, hour: number, block: number): Promise<ExchangeHour | null> => {
      const rows = await query<ExchangeHour>(selectHour, [chainId, bytes(factory), hour, block]);
      return rows[0] ?? null;
    },

    /** The roll-ups of complete UTC days, by day. */
    wholeDays: async (chainId: number, factory: Address, days: readonly number[]): Promise<(day: number) => ExchangeHour | null> => {
      const keyOf = (day: number): string => `${factory}:${lastHourOf(day)}`;
      const hours = await lookUpHours(chainId, days.map(keyOf));
      return (day) => hours.get(keyOf(day)) ?? null;
    },
  };
}

const columnsOf = (rows: readonly (readonly string[])[]): string[][] =>
  (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? ""));
