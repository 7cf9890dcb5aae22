import { bytes } from "../../../database/codecs.ts";
import type { Queryable } from "../../../database/database.ts";
import { type Sql, sql } from "../../../database/sql.ts";
import type { Address } from "../../../lib/hex.ts";
import type { ExchangeKey } from "./exchange.ts";

/** An action on a pool, with its position in the chain. Amounts are decimal digits in the smallest unit. */
export interface ActionRow {
  readonly block_number: number;
  readonly log_index: number;
  readonly transaction_index: number;
  readonly pool: Address;
  readonly act: number;
  readonly sender: Address;
  readonly to_address: Address | null;
  readonly amount0_in: string;
  readonly amount0_out: string;
  readonly amount1_in: string;
  readonly amount1_out: string;
  readonly liquidity: string | null;
}

/** A page of actions, newest first; the total is null above the maximum count. */
export interface ActionPage {
  readonly rows: readonly ActionRow[];
  readonly total: number | null;
}

/**
 * A set of actions: the table with their cumulative number by block, and the filter that selects them. Shared pools are not included in the sums of
 * any exchange: their actions are counted by their own states.
 */
export interface ActionSource {
  readonly table: Sql;
  /** The condition on rows of `table`; $3 and $4 are `parameters`. */
  readonly tableCondition: Sql;
  /** The condition on the actions `a`, with the same parameters. */
  readonly filter: Sql;
  readonly parameters: readonly [Address, Address | null];
  readonly sharedPools: readonly Address[];
}

/** The columns of `ActionRow` for actions `a`. */
export const actionColumns = sql`a.block_number, a.log_index, a.transaction_index, a.pool, a.act, a.sender, a.to_address,
  a.amount0_in, a.amount0_out, a.amount1_in, a.amount1_out, a.liquidity`;

/** The actions in all of an exchange's pools. */
export const exchangeActionSource = ({ factory, sharedPools }: ExchangeKey): ActionSource => ({
  table: sql`exchange_sums`,
  tableCondition: sql`factory = $3 AND $4::bytea IS NULL`,
  filter: sql`a.factory = $3`,
  parameters: [factory, null],
  sharedPools,
});

/** The actions in an exchange's pools with a token. */
export const tokenActionSource = ({ factory, sharedPools }: ExchangeKey, token: Address): ActionSource => ({
  table: sql`exchange_token_sums`,
  tableCondition: sql`factory = $3 AND token = $4`,
  filter: sql`a.factory = $3 AND EXISTS (
    SELECT FROM pools p WHERE p.chain_id = $1 AND p.factory = $3 AND p.pool = a.pool AND $4 IN (p.token0, p.token1))`,
  parameters: [factory, token],
  sharedPools,
});

/** The actions in a pool. */
export const poolActionSource = (pool: Address): ActionSource => ({
  table: sql`pool_states`,
  tableCondition: sql`pool = $3 AND $4::bytea IS NULL`,
  filter: sql`a.pool = $3`,
  parameters: [pool, null],
  sharedPools: [],
});

/** The parameters $1 to $5 of a statement about a source. */
export const parametersOf = (chainId: number, block: number, { parameters: [first, second], sharedPools }: ActionSource): unknown[] => [
  chainId,
  block,
  bytes(first),
  second === null ? null : bytes(second),
  sharedPools.map(bytes),
];

/** The number of actions up to a block: one probe of the table's primary key, and one of pool_states for each shared pool in $5. */
const countUpTo = (block: Sql, { table, tableCondition }: ActionSource): Sql => sql`(
  coalesce((SELECT actions FROM ${table} WHERE chain_id = $1 AND block_number <= ${block} AND ${tableCondition} ORDER BY block_number DESC LIMIT 1), 0)
  + (SELECT coalesce(sum(newest.actions), 0)::int8 FROM unnest($5::bytea[]) AS o(pool) CROSS JOIN LATERAL (
       SELECT s.actions FROM pool_states s WHERE s.chain_id = $1 AND s.pool = o.pool AND s.block_number <= ${block}
       ORDER BY s.block_number DESC LIMIT 1) newest))`;

/** A recursive CTE that finds the block where the number of actions exceeds an ordinal, by bisection: about thirty counts. */
const bisection = (name: Sql, ordinal: Sql, source: ActionSource): Sql => sql`${name}(low, high) AS (
  SELECT -1::int8, $2::int8
  UNION ALL
  SELECT CASE WHEN reached THEN low ELSE middle END, CASE WHEN reached THEN middle ELSE high END
  FROM (SELECT low, high, middle, ${countUpTo(sql`middle`, source)} > ${ordinal}::int8 AS reached
        FROM (SELECT low, high, (low + high) / 2 AS middle FROM ${name} WHERE high - low > 1) halves) probed)`;

const betweenBlocks = sql`BETWEEN (SELECT min(high) FROM beginning) AND (SELECT min(high) FROM ending)`;

/** Pages of a source's actions. */
export function createActionPages({ query }: Pick<Queryable, "query">) {
  /**
   * A source's actions from ordinal `first` to `last`, counted from the oldest, newest first. The sums never decrease, so the blocks of both ordinals are
   * found by bisection; the actions are a range of the primary key in each block between them.
   */
  const actionsBetween = async (
    chainId: number,
    source: ActionSource,
    block: number,
    first: number,
    last: number,
  ): Promise<ActionRow[]> => {
    if (last < first) return [];
    const { table, tableCondition, filter } = source;
    const rows = await query<ActionRow & { readonly newer: number }>(
      sql`WITH RECURSIVE ${bisection(sql`beginning`, sql`$6`, source)}, ${bisection(sql`ending`, sql`$7`, source)},
          touched AS MATERIALIZED (
            SELECT block_number FROM ${table} WHERE chain_id = $1 AND ${tableCondition} AND block_number ${betweenBlocks}
            UNION
            SELECT s.block_number FROM unnest($5::bytea[]) AS o(pool) CROSS JOIN LATERAL (
              SELECT block_number FROM pool_states WHERE chain_id = $1 AND pool = o.pool AND block_number ${betweenBlocks}) s),
          counted AS MATERIALIZED (SELECT ${countUpTo(sql`high`, source)} AS actions FROM (SELECT min(high) AS high FROM ending) ended)
          SELECT ${actionColumns}, (SELECT actions FROM counted) - 1 - $7::int8 AS newer
          FROM touched CROSS JOIN LATERAL (
            SELECT * FROM pool_actions b WHERE b.chain_id = $1 AND b.block_number = touched.block_number) a
          WHERE (${filter}) OR a.pool = ANY ($5) ORDER BY a.block_number DESC, a.log_index DESC`,
      [...parametersOf(chainId, block, source), first, last],
    );
    const newer = rows[0]?.newer ?? 0;
    return rows.slice(newer, newer + last - first + 1);
  };

  /** A page of the actions up to a block, newest first. Later pages cost no more than the first. */
  return async (chainId: number, source: ActionSource, block: number, limit: number, offset: number): Promise<ActionPage> => {
    const rows = await query<{ actions: number }>(
      sql`SELECT ${countUpTo(sql`$2::int8`, source)} AS actions`,
      parametersOf(chainId, block, source),
    );
    const total = rows[0]?.actions ?? 0;
    const last = total - 1 - offset;
    return { rows: await actionsBetween(chainId, source, block, Math.max(0, last - limit + 1), last), total };
  };
}
