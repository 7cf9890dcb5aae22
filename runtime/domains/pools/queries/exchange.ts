import { bytes } from "../../../database/codecs.ts";
import type { Queryable } from "../../../database/database.ts";
import { type Sql, sql } from "../../../database/sql.ts";
import type { Address } from "../../../lib/hex.ts";

/** An exchange: its factory, and its shared pools, which other factories have also announced. */
export interface ExchangeKey {
  readonly factory: Address;
  readonly sharedPools: readonly Address[];
}

/** A block and its UTC day (since 1970). */
export interface DayBlock<Block> {
  readonly block: Block;
  readonly day: number;
}

/** The max total that is counted; a higher total is null. */
export const maxCount = 10_000;

/** A count, or null above the maximum. */
export const boundedCount = (rows: readonly { readonly count: number }[]): number | null => {
  const count = rows[0]?.count ?? 0;
  return count > maxCount ? null : count;
};

const swapsUpTo = (block: Sql): Sql => sql`coalesce((
  SELECT swaps FROM pool_states s WHERE s.chain_id = $1 AND s.pool = d.pool AND s.block_number <= ${block} ORDER BY s.block_number DESC LIMIT 1), 0)`;

const ownTokens = sql`SELECT token FROM exchange_tokens WHERE chain_id = $1 AND factory = $2 AND block_number <= $4`;
const withSharedTokens = sql`(${ownTokens} UNION SELECT token FROM unnest($3::bytea[]) AS o(token)) t`;
const withoutSharedTokens = sql`(${ownTokens}) t WHERE $3::bytea[] IS NOT NULL`;

/** Queries for exchanges. */
export const createExchangeQueries = ({ query }: Pick<Queryable, "query">) => ({
  /** An exchange with its shared pools. Served by the primary key of shared_pools. */
  exchangeKey: async (chainId: number, factory: Address, block: number): Promise<ExchangeKey> => {
    const rows = await query<{ pool: Address }>(
      "SELECT pool FROM shared_pools WHERE chain_id = $1 AND factory = $2 AND block_number <= $3 ORDER BY pool",
      [chainId, bytes(factory), block],
    );
    return { factory, sharedPools: rows.map(({ pool }) => pool) };
  },

  /**
   * A page of the exchange's pools with a swap after `since` and up to `at`, by address, and the number of such pools. Served by the primary key of
   * pool_swap_days: a swap on a day after the day of `since` is sufficient; a pool whose last swap is on the day of `since` is included if its
   * cumulative number of swaps increased after `since`.
   */
  activePools: async (
    chainId: number,
    { factory, sharedPools }: ExchangeKey,
    since: DayBlock<number | null>,
    at: DayBlock<number>,
    limit: number,
    offset: number,
  ): Promise<{ pools: readonly Address[]; total: number }> => {
    const rows = await query<{ pools: Address[]; total: number }>(
      sql`WITH later AS MATERIALIZED (
            SELECT DISTINCT pool FROM pool_swap_days WHERE chain_id = $1 AND exchange = ANY ($2::bytea[]) AND day > $3 AND day <= $4 AND block_number <= $6),
          active AS MATERIALIZED (
            SELECT pool FROM later
            UNION ALL
            SELECT pool FROM pool_swap_days d WHERE chain_id = $1 AND exchange = ANY ($2::bytea[]) AND day = $3 AND block_number <= $6
              AND NOT EXISTS (SELECT FROM later WHERE later.pool = d.pool) AND ${swapsUpTo(sql`$6`)} > ${swapsUpTo(sql`$5`)})
          SELECT ARRAY(SELECT pool FROM active ORDER BY pool LIMIT $7 OFFSET $8) AS pools, (SELECT count(*) FROM active) AS total`,
      [chainId, [factory, ...sharedPools].map(bytes), since.day, at.day, since.block ?? -1, at.block, limit, offset],
    );
    return rows[0] ?? { pools: [], total: 0 };
  },

  /**
   * A page of the tokens in an exchange's pools up to a block, by address, and the number of such tokens. `sharedTokens` are the tokens of its shared
   * pools. Served by the primary key of exchange_tokens.
   */
  tokensOfExchange: async (
    chainId: number,
    factory: Address,
    sharedTokens: readonly Address[],
    block: number,
    limit: number,
    offset: number,
  ): Promise<{ tokens: Address[]; total: number | null }> => {
    const from = sharedTokens.length === 0 ? withoutSharedTokens : withSharedTokens;
    const parameters = [chainId, bytes(factory), sharedTokens.map(bytes), block];
    const [rows, counted] = await Promise.all([
      query<{ token: Address }>(sql`SELECT token FROM ${from} ORDER BY token LIMIT $5 OFFSET $6`, [...parameters, limit, offset]),
      query<{ count: number }>(sql`SELECT count(*) AS count FROM (SELECT FROM ${from} LIMIT ${maxCount + 1}) counted`, parameters),
    ]);
    return { tokens: rows.map(({ token }) => token), total: boundedCount(counted) };
  },
});
