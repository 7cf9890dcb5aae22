import { bytes } from "../../database/codecs.ts";
import type { Database } from "../../database/database.ts";
import type { Address } from "../../lib/hex.ts";
import type { ExchangeKey } from "./pool-queries.ts";

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

/** A table whose rows say how many actions of something there were up to a block, and how its actions are told from others of the block. */
interface Source {
  readonly table: "exchange_sums" | "exchange_token_sums" | "pool_states";
  /** Conditions on the table and on the actions `a`; $3 and $4 are the key. */
  readonly key: string;
  readonly filter: string;
  readonly parameters: readonly [Address, Address | null];
}

const columns = `a.block_number, a.log_index, a.transaction_index, a.pool, a.act, a.sender, a.to_address,
  a.amount0_in, a.amount0_out, a.amount1_in, a.amount1_out, a.liquidity`;
const countedAtMost = 10_000;

const ofExchange = (factory: Address): Source => ({
  table: "exchange_sums",
  key: "factory = $3 AND $4::bytea IS NULL",
  filter: "a.factory = $3",
  parameters: [factory, null],
});

const ofToken = (factory: Address, token: Address): Source => ({
  table: "exchange_token_sums",
  key: "factory = $3 AND token = $4",
  filter: `a.factory = $3 AND EXISTS (
    SELECT FROM pools p WHERE p.chain_id = $1 AND p.factory = $3 AND p.pool = a.pool AND $4 IN (p.token0, p.token1))`,
  parameters: [factory, token],
});

const ofPool = (pool: Address): Source => ({
  table: "pool_states",
  key: "pool = $3 AND $4::bytea IS NULL",
  filter: "a.pool = $3",
  parameters: [pool, null],
});

/** Questions about what was done with pools, up to a block. */
export function createActionQueries({ query }: Pick<Database, "query">) {
  const parametersOf = (chainId: number, block: number, { parameters: [first, second] }: Source) => [
    chainId,
    block,
    bytes(first),
    second === null ? null : bytes(second),
  ];

  /** How many actions there were up to a block. One probe of the source's primary key. */
  const countOf = async (chainId: number, source: Source, block: number): Promise<number> => {
    const rows = await query<{ actions: number }>(
      `SELECT actions FROM ${source.table} WHERE chain_id = $1 AND block_number <= $2 AND ${source.key} ORDER BY block_number DESC LIMIT 1`,
      parametersOf(chainId, block, source),
    );
    return rows[0]?.actions ?? 0;
  };

  /**
   * Actions number `first` to `last` of a source, counted from its oldest one, newest first. Sums grow with the blocks, so the blocks in which they
   * reach both numbers are found by halving, some thirty probes of the source's primary key each; the actions are a range of theirs in each block between.
   */
  const actionsBetween = async (chainId: number, source: Source, block: number, first: number, last: number): Promise<ActionRow[]> => {
    if (last < first) return [];
    const reaching = (name: string, ordinal: string) => `${name}(low, high) AS (
       SELECT -1::int8, $2::int8
       UNION ALL
       SELECT CASE WHEN reached THEN low ELSE middle END, CASE WHEN reached THEN middle ELSE high END
       FROM (SELECT low, high, middle, coalesce((
               SELECT actions FROM ${source.table} WHERE chain_id = $1 AND block_number <= middle AND ${source.key}
               ORDER BY block_number DESC LIMIT 1), 0) > ${ordinal}::int8 AS reached
             FROM (SELECT low, high, (low + high) / 2 AS middle FROM ${name} WHERE high - low > 1) halves) probed)`;
    const rows = await query<ActionRow & { readonly newer: number }>(
      `WITH RECURSIVE ${reaching("beginning", "$5")}, ${reaching("ending", "$6")},
       touched AS MATERIALIZED (
         SELECT block_number, actions FROM ${source.table}
         WHERE chain_id = $1 AND ${source.key} AND block_number BETWEEN (SELECT min(high) FROM beginning) AND (SELECT min(high) FROM ending))
       SELECT ${columns}, (SELECT max(actions) FROM touched) - 1 - $6::int8 AS newer
       FROM touched CROSS JOIN LATERAL (
         SELECT * FROM pool_actions b WHERE b.chain_id = $1 AND b.block_number = touched.block_number) a
       WHERE ${source.filter} ORDER BY a.block_number DESC, a.log_index DESC`,
      [...parametersOf(chainId, block, source), first, last],
    );
    const newer = rows[0]?.newer ?? 0;
    return rows.slice(newer, newer + last - first + 1);
  };

  /** A page out of several sources that have no action in common. Where there is but one, which is the rule, a later page costs no more than the first. */
  const pageOf = async (chainId: number, sources: readonly Source[], block: number, limit: number, offset: number): Promise<ActionPage> => {
    const counts = await Promise.all(sources.map((source) => countOf(chainId, source, block)));
    const total = counts.reduce((sum, count) => sum + count, 0);
    const depth = sources.length === 1 ? limit : offset + limit;
    const skipped = sources.length === 1 ? offset : 0;
    const newest = await Promise.all(
      sources.map((source, position) => {
        const last = (counts[position] ?? 0) - 1 - skipped;
        return actionsBetween(chainId, source, block, Math.max(0, last - depth + 1), last);
      }),
    );
    const rows = newest.flat().sort((a, b) => b.block_number - a.block_number || b.log_index - a.log_index);
    return { rows: rows.slice(offset - skipped, offset - skipped + limit), total };
  };

  const actionsOfExchange = (chainId: number, { factory, shared }: ExchangeKey, block: number, limit: number, offset: number) =>
    pageOf(chainId, [ofExchange(factory), ...shared.map(ofPool)], block, limit, offset);

  /** Actions in the exchange's pools with a token; `shared` are those of its shared pools that have it. */
  const actionsOfToken = (
    chainId: number,
    { factory, shared }: ExchangeKey,
    token: Address,
    block: number,
    limit: number,
    offset: number,
  ) => pageOf(chainId, [ofToken(factory, token), ...shared.map(ofPool)], block, limit, offset);

  const actionsOfPool = (chainId: number, pool: Address, block: number, limit: number, offset: number) =>
    pageOf(chainId, [ofPool(pool)], block, limit, offset);

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
        `SELECT ${columns} FROM (
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

  return { actionsOfExchange, actionsOfToken, actionsOfPool, actionsOfAccount };
}
