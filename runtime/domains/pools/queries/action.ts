import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import type { Address } from "../../../lib/hex.ts";
import { actCodes } from "../projection/tables.ts";
import type { ExchangeKey } from "./pool.ts";

/** What was done with a pool, and where it stands. Amounts are digits in the smallest unit. */
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

/** A page of actions, newest first; a null total is above what is counted. */
export interface ActionPage {
  readonly rows: readonly ActionRow[];
  readonly total: number | null;
}

/**
 * A table whose rows say how many actions of something there were up to a block, and how its actions are told from others of the block. What pools that
 * several factories claim add to it is in the states of those.
 */
interface Source {
  readonly table: "exchange_sums" | "exchange_token_sums" | "pool_states";
  /** Conditions on the table and on the actions `a`; $3 and $4 are the key. */
  readonly key: string;
  readonly filter: string;
  readonly parameters: readonly [Address, Address | null];
  readonly shared: readonly Address[];
}

/** What of the actions `a` makes such a row. */
export const actionColumns = `a.block_number, a.log_index, a.transaction_index, a.pool, a.act, a.sender, a.to_address,
  a.amount0_in, a.amount0_out, a.amount1_in, a.amount1_out, a.liquidity`;
const countedAtMost = 10_000;

const ofExchange = ({ factory, shared }: ExchangeKey): Source => ({
  table: "exchange_sums",
  key: "factory = $3 AND $4::bytea IS NULL",
  filter: "a.factory = $3",
  parameters: [factory, null],
  shared,
});

const ofToken = ({ factory, shared }: ExchangeKey, token: Address): Source => ({
  table: "exchange_token_sums",
  key: "factory = $3 AND token = $4",
  filter: `a.factory = $3 AND EXISTS (
    SELECT FROM pools p WHERE p.chain_id = $1 AND p.factory = $3 AND p.pool = a.pool AND $4 IN (p.token0, p.token1))`,
  parameters: [factory, token],
  shared,
});

const ofPool = (pool: Address): Source => ({
  table: "pool_states",
  key: "pool = $3 AND $4::bytea IS NULL",
  filter: "a.pool = $3",
  parameters: [pool, null],
  shared: [],
});

/** How many actions there were up to a block: one probe of the source's primary key, and one of pool_states for each shared pool, which are in $5. */
const countUpTo = (block: string, { table, key }: Source): string => `(
  coalesce((SELECT actions FROM ${table} WHERE chain_id = $1 AND block_number <= ${block} AND ${key} ORDER BY block_number DESC LIMIT 1), 0)
  + (SELECT coalesce(sum(newest.actions), 0)::int8 FROM unnest($5::bytea[]) AS o(pool) CROSS JOIN LATERAL (
       SELECT s.actions FROM pool_states s WHERE s.chain_id = $1 AND s.pool = o.pool AND s.block_number <= ${block}
       ORDER BY s.block_number DESC LIMIT 1) newest))`;

/** Questions about what was done with pools, up to a block. */
export function createActionQueries({ query }: Pick<Database, "query">) {
  const parametersOf = (chainId: number, block: number, { parameters: [first, second], shared }: Source) => [
    chainId,
    block,
    bytes(first),
    second === null ? null : bytes(second),
    shared.map(bytes),
  ];

  const countOf = async (chainId: number, source: Source, block: number): Promise<number> => {
    const rows = await query<{ actions: number }>(
      `SELECT ${countUpTo("$2::int8", source)} AS actions`,
      parametersOf(chainId, block, source),
    );
    return rows[0]?.actions ?? 0;
  };

  /**
   * Actions number `first` to `last` of a source, counted from its oldest one, newest first. Sums grow with the blocks, so the blocks in which they
   * reach both numbers are found by halving, some thirty counts each; the actions are a range of the primary key in each block between.
   */
  const actionsBetween = async (chainId: number, source: Source, block: number, first: number, last: number): Promise<ActionRow[]> => {
    if (last < first) return [];
    const { table, key, filter } = source;
    const reaching = (name: string, ordinal: string) => `${name}(low, high) AS (
       SELECT -1::int8, $2::int8
       UNION ALL
       SELECT CASE WHEN reached THEN low ELSE middle END, CASE WHEN reached THEN middle ELSE high END
       FROM (SELECT low, high, middle, ${countUpTo("middle", source)} > ${ordinal}::int8 AS reached
             FROM (SELECT low, high, (low + high) / 2 AS middle FROM ${name} WHERE high - low > 1) halves) probed)`;
    const between = "BETWEEN (SELECT min(high) FROM beginning) AND (SELECT min(high) FROM ending)";
    const rows = await query<ActionRow & { readonly newer: number }>(
      `WITH RECURSIVE ${reaching("beginning", "$6")}, ${reaching("ending", "$7")},
       touched AS MATERIALIZED (
         SELECT block_number FROM ${table} WHERE chain_id = $1 AND ${key} AND block_number ${between}
         UNION
         SELECT s.block_number FROM unnest($5::bytea[]) AS o(pool) CROSS JOIN LATERAL (
           SELECT block_number FROM pool_states WHERE chain_id = $1 AND pool = o.pool AND block_number ${between}) s),
       counted AS MATERIALIZED (SELECT ${countUpTo("high", source)} AS actions FROM (SELECT min(high) AS high FROM ending) ended)
       SELECT ${actionColumns}, (SELECT actions FROM counted) - 1 - $7::int8 AS newer
       FROM touched CROSS JOIN LATERAL (
         SELECT * FROM pool_actions b WHERE b.chain_id = $1 AND b.block_number = touched.block_number) a
       WHERE (${filter}) OR a.pool = ANY ($5) ORDER BY a.block_number DESC, a.log_index DESC`,
      [...parametersOf(chainId, block, source), first, last],
    );
    const newer = rows[0]?.newer ?? 0;
    return rows.slice(newer, newer + last - first + 1);
  };

  /** A later page costs no more than the first. */
  const pageOf = async (chainId: number, source: Source, block: number, limit: number, offset: number): Promise<ActionPage> => {
    const total = await countOf(chainId, source, block);
    const last = total - 1 - offset;
    return { rows: await actionsBetween(chainId, source, block, Math.max(0, last - limit + 1), last), total };
  };

  const actionsOfExchange = (chainId: number, exchange: ExchangeKey, block: number, limit: number, offset: number) =>
    pageOf(chainId, ofExchange(exchange), block, limit, offset);

  /** Actions in the exchange's pools with a token; `shared` are those of its shared pools that have it. */
  const actionsOfToken = (chainId: number, exchange: ExchangeKey, token: Address, block: number, limit: number, offset: number) =>
    pageOf(chainId, ofToken(exchange, token), block, limit, offset);

  /**
   * How many transactions after block `since` and up to another swapped a token in an exchange's shared pools and in none of its own, whose sums have the rest.
   * Null where these pools changed in more than 10,000 blocks. Served by the primary keys: a range of each pool's states, and of the actions of each of their blocks.
   */
  const sharedSwapTransactions = async (
    chainId: number,
    exchange: ExchangeKey,
    token: Address,
    since: number | null,
    block: number,
  ): Promise<number | null> => {
    const source = ofToken(exchange, token);
    const rows = await query<{ blocks: number; transactions: number }>(
      `WITH touched AS MATERIALIZED (
         SELECT s.block_number FROM unnest($5::bytea[]) AS o(pool) CROSS JOIN LATERAL (
           SELECT block_number FROM pool_states WHERE chain_id = $1 AND pool = o.pool AND block_number > $6 AND block_number <= $2) s
         LIMIT ${countedAtMost + 1}),
       alone AS (
         SELECT FROM (SELECT DISTINCT block_number FROM touched) t CROSS JOIN LATERAL (
           SELECT * FROM pool_actions b WHERE b.chain_id = $1 AND b.block_number = t.block_number AND b.act = ${actCodes.swap}) a
         WHERE (${source.filter}) OR a.pool = ANY ($5)
         GROUP BY a.block_number, a.transaction_index HAVING bool_and(a.pool = ANY ($5)))
       SELECT (SELECT count(*) FROM touched) AS blocks, (SELECT count(*) FROM alone) AS transactions`,
      [...parametersOf(chainId, block, source), since ?? -1],
    );
    const { blocks, transactions } = rows[0] ?? { blocks: 0, transactions: 0 };
    return blocks > countedAtMost ? null : transactions;
  };

  const actionsOfPool = (chainId: number, pool: Address, block: number, limit: number, offset: number) =>
    pageOf(chainId, ofPool(pool), block, limit, offset);

  /**
   * Actions of an account on an exchange: it sent the transaction, called the pool, or received. The total is null above 10,000. Served by the primary
   * keys: the account's places on the exchange newest first, then each action by its place.
   */
  const actionsOfAccount = async (
    chainId: number,
    { factory, shared }: ExchangeKey,
    account: Address,
    block: number,
    limit: number,
    offset: number,
  ): Promise<ActionPage> => {
    const places = `unnest($3::bytea[]) AS e(exchange) CROSS JOIN LATERAL (
      SELECT block_number, log_index FROM pool_action_accounts
      WHERE chain_id = $1 AND account = $2 AND exchange = e.exchange AND block_number <= $4
      ORDER BY block_number DESC, log_index DESC LIMIT $5) place`;
    const parameters = [chainId, bytes(account), [factory, ...shared].map(bytes), block];
    const [rows, counted] = await Promise.all([
      query<ActionRow>(
        `SELECT ${actionColumns} FROM (
           SELECT block_number, log_index FROM ${places} ORDER BY block_number DESC, log_index DESC LIMIT $6 OFFSET $7) page
         JOIN pool_actions a ON a.chain_id = $1 AND a.block_number = page.block_number AND a.log_index = page.log_index
         ORDER BY a.block_number DESC, a.log_index DESC`,
        [...parameters, offset + limit, limit, offset],
      ),
      query<{ count: number }>(`SELECT count(*) AS count FROM ${places}`, [...parameters, countedAtMost + 1]),
    ]);
    const count = counted[0]?.count ?? 0;
    return { rows, total: count > countedAtMost ? null : count };
  };

  return { actionsOfExchange, actionsOfToken, sharedSwapTransactions, actionsOfPool, actionsOfAccount };
}
