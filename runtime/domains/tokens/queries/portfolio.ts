import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import { plannedOnce, sql } from "../../../database/sql.ts";
import { type CacheLookups, uncachedLookups } from "../../../lib/cache-lookups.ts";
import type { Address } from "../../../lib/hex.ts";

/** The values that a balance was set to in a block span. */
export interface BalanceSpanRow {
  readonly token: Address;
  readonly standard: number;
  /** The number of the span, from 1. */
  readonly span: number;
  /** The highest, the lowest and the last value set in it; null if unknown. */
  readonly high: string | null;
  readonly low: string | null;
  readonly close: string | null;
}

/** Block spans, ascending; an empty span ends before it starts. */
export interface Spans {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Served by blocks_timestamp, one probe per time. */
const selectHeightsBefore = plannedOnce(sql`SELECT t.position::int4 AS position, b.number AS height
  FROM unnest($2::int8[]) WITH ORDINALITY AS t(time, position) CROSS JOIN LATERAL (
    SELECT number FROM blocks WHERE chain_id = $1 AND timestamp < t.time ORDER BY timestamp DESC, number DESC LIMIT 1) b`);

/** Max cached heights of a chain: the times in requests are starts of days and hours. */
const maxCached = 10_000;

/** Queries for a wallet's balances day by day; `blockCache` may cache heights, which depend on blocks only. */
export function createPortfolioQueries({ query }: Pick<Database, "query">, blockCache: CacheLookups = uncachedLookups) {
  const lookUpHeights = blockCache<number>(async (chainId, times) => {
    const rows = await query<{ position: number; height: number }>(selectHeightsBefore, [chainId, times.map(Number)]);
    return new Map(rows.map(({ position, height }) => [times[position - 1] ?? "", height]));
  }, maxCached);

  /** The height of the last block before each time (unix seconds), or null. */
  const heightsBefore = async (chainId: number, times: readonly number[]): Promise<(number | null)[]> => {
    const keys = times.map(String);
    const heights = await lookUpHeights(chainId, keys);
    return keys.map((key) => heights.get(key) ?? null);
  };

  /**
   * An owner's native and ERC-20 balances in the spans in which they changed, in the order of the changes. A span may have two rows, of which the second is the
   * current value. The spans are contiguous. Served by the primary keys: one range per token that was touched since the first span, which is assigned to spans
   * as it is read, and one probe for the last value of each span with a change.
   */
  const balanceSpans = (chainId: number, owner: Address, { starts, ends }: Spans) =>
    query<BalanceSpanRow>(
      // The last of equal starts applies: the earlier ones are starts of empty spans. Heights are exact as float8, whose arrays are searched fastest.
      `WITH touched AS MATERIALIZED (
         SELECT token, standard, since_block, balance FROM balances
         WHERE chain_id = $1 AND owner = $2 AND standard IN (0, 1) AND since_block >= $3),
       changed AS MATERIALIZED (
         SELECT t.token, t.standard, c.* FROM touched t CROSS JOIN LATERAL (
           SELECT width_bucket(from_block::float8, $4::float8[]) AS span, max(from_block) AS newest,
             CASE WHEN count(*) = count(balance) THEN max(balance) END AS high,
             CASE WHEN count(*) = count(balance) THEN min(balance) END AS low
           FROM balance_periods p
           WHERE p.chain_id = $1 AND p.owner = $2 AND p.token = t.token AND p.standard = t.standard AND p.from_block BETWEEN $3 AND $5
           GROUP BY 1) c)
       SELECT token, standard, span, high, low,
         (SELECT balance FROM balance_periods p
          WHERE p.chain_id = $1 AND p.owner = $2 AND p.token = c.token AND p.standard = c.standard AND p.from_block = c.newest) AS close, newest
       FROM changed c
       UNION ALL
       SELECT token, standard, width_bucket(since_block::float8, $4::float8[]), balance, balance, balance, since_block FROM touched WHERE since_block <= $5
       ORDER BY newest`,
      [chainId, bytes(owner), starts[0] ?? 0, starts, ends.at(-1) ?? -1],
    );

  return { heightsBefore, balanceSpans };
}
