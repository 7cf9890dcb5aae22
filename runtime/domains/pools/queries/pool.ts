import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import type { Address } from "../../../lib/hex.ts";
import { standards } from "../../tokens/projection/standards.ts";

/** A pool as one factory announced it. */
export interface PoolRow {
  readonly factory: Address;
  readonly pool: Address;
  readonly token0: Address;
  readonly token1: Address;
}

/** Which exchange a question is about: its factory, and those of its pools that other factories claim too. */
export interface ExchangeKey {
  readonly factory: Address;
  readonly shared: readonly Address[];
}

/** A pool, and what an owner had of its token. */
export interface OwnedPoolRow extends PoolRow {
  /** Null where it is not known. */
  readonly balance: string | null;
}

const columns = "p.factory, p.pool, p.token0, p.token1";
const countedAtMost = 10_000;
/**
 * The first pools of a factory `f` with a token on one side, by address. Were the factory said to be equal, the order of the primary key would do as well,
 * and be searched from end to end for a factory that has none.
 */
const ofToken = (column: "token0" | "token1", most: string): string =>
  `(SELECT ${columns} FROM pools p WHERE p.chain_id = $1 AND p.${column} = $3 AND p.factory BETWEEN f.factory AND f.factory AND p.block_number <= $4
    ORDER BY p.factory, p.pool LIMIT ${most})`;

/** Questions about which pools there are. Each names the factories whose word counts. */
export function createListQueries({ query }: Pick<Database, "query">) {
  /** The given contracts that a factory announced by a block, by address. Served by pools_factory. */
  const poolsAt = (chainId: number, factories: readonly Address[], pools: readonly Address[], block: number) =>
    query<PoolRow>(
      `SELECT ${columns} FROM pools p WHERE p.chain_id = $1 AND p.factory = ANY ($2::bytea[]) AND p.pool = ANY ($3::bytea[]) AND p.block_number <= $4
       ORDER BY p.pool`,
      [chainId, factories.map(bytes), pools.map(bytes), block],
    );

  /** An exchange's pools by address, shared ones among them, from the one after another on. Served by pools_factory. */
  const poolsAfter = (chainId: number, factory: Address, after: Address | null, block: number, limit: number) =>
    query<PoolRow>(
      `SELECT ${columns} FROM pools p WHERE p.chain_id = $1 AND p.factory = $2 AND p.pool > $3 AND p.block_number <= $4 ORDER BY p.pool LIMIT $5`,
      [chainId, bytes(factory), after === null ? Buffer.alloc(0) : bytes(after), block, limit],
    );

  /** The pools of an exchange that other factories claim too. Served by the primary key of shared_pools. */
  const exchangeKey = async (chainId: number, factory: Address, block: number): Promise<ExchangeKey> => {
    const rows = await query<{ pool: Address }>(
      "SELECT pool FROM shared_pools WHERE chain_id = $1 AND factory = $2 AND block_number <= $3 ORDER BY pool",
      [chainId, bytes(factory), block],
    );
    return { factory, shared: rows.map(({ pool }) => pool) };
  };

  /**
   * Pools with a token, by address, and how many there are; a null total is above 10,000. Served by pools_token0 and pools_token1, in whose order the pools of
   * one factory already are: no more of them are read than the page reaches to.
   */
  const poolsOfToken = async (
    chainId: number,
    factories: readonly Address[],
    token: Address,
    block: number,
    limit: number,
    offset: number,
  ): Promise<{ rows: PoolRow[]; total: number | null }> => {
    const parameters = [chainId, factories.map(bytes), bytes(token), block];
    const upTo = (most: string) =>
      `unnest($2::bytea[]) AS f(factory) CROSS JOIN LATERAL (${ofToken("token0", most)} UNION ALL ${ofToken("token1", most)}) p`;
    const [rows, counted] = await Promise.all([
      query<PoolRow>(`SELECT p.* FROM ${upTo("$7")} ORDER BY p.pool, p.factory LIMIT $5 OFFSET $6`, [
        ...parameters,
        limit,
        offset,
        offset + limit,
      ]),
      query<{ count: number }>(`SELECT count(*) AS count FROM ${upTo(String(countedAtMost + 1))}`, parameters),
    ]);
    const count = counted[0]?.count ?? 0;
    return { rows, total: count > countedAtMost ? null : count };
  };

  /**
   * The pools of whose token an owner had some after a block, by address. Served by the primary key of balances, a range of the owner's tokens, each
   * looked up in pools_factory; and one probe of balance_periods for each pool whose balance changed since.
   */
  const poolsOfOwner = (chainId: number, factories: readonly Address[], owner: Address, block: number, limit: number) =>
    query<OwnedPoolRow>(
      `SELECT * FROM (
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
    );

  /**
   * A page of an exchange's pools with a swap after block `since`, of day `since.day`, up to block `at`, of day `at.day`, by address, and how many they are.
   * Served by the primary key of pool_swap_days: a pool that was swapped in on a later day than the first is in; of those of the first day alone
   * the sums decide.
   */
  const activePools = async (
    chainId: number,
    { factory, shared }: ExchangeKey,
    since: { readonly block: number | null; readonly day: number },
    at: { readonly block: number; readonly day: number },
    limit: number,
    offset: number,
  ): Promise<{ pools: readonly Address[]; total: number }> => {
    const swapsUpTo = (block: string) =>
      `coalesce((SELECT swaps FROM pool_states s WHERE s.chain_id = $1 AND s.pool = d.pool AND s.block_number <= ${block}
                 ORDER BY s.block_number DESC LIMIT 1), 0)`;
    const rows = await query<{ pools: Address[]; total: number }>(
      `WITH later AS MATERIALIZED (
         SELECT DISTINCT pool FROM pool_swap_days WHERE chain_id = $1 AND exchange = ANY ($2::bytea[]) AND day > $3 AND day <= $4 AND block_number <= $6),
       active AS MATERIALIZED (
         SELECT pool FROM later
         UNION ALL
         SELECT pool FROM pool_swap_days d WHERE chain_id = $1 AND exchange = ANY ($2::bytea[]) AND day = $3 AND block_number <= $6
           AND NOT EXISTS (SELECT FROM later WHERE later.pool = d.pool) AND ${swapsUpTo("$6")} > ${swapsUpTo("$5")})
       SELECT ARRAY(SELECT pool FROM active ORDER BY pool LIMIT $7 OFFSET $8) AS pools, (SELECT count(*) FROM active) AS total`,
      [chainId, [factory, ...shared].map(bytes), since.day, at.day, since.block ?? -1, at.block, limit, offset],
    );
    return rows[0] ?? { pools: [], total: 0 };
  };

  /**
   * The tokens of an exchange's pools up to a block, by address, and how many there are; a null total is above 10,000. `others` are the tokens of its shared pools.
   * Served by the primary key of exchange_tokens.
   */
  const tokensOfExchange = async (
    chainId: number,
    factory: Address,
    others: readonly Address[],
    block: number,
    limit: number,
    offset: number,
  ): Promise<{ tokens: Address[]; total: number | null }> => {
    const all = `(SELECT token FROM exchange_tokens WHERE chain_id = $1 AND factory = $2 AND block_number <= $4
                  UNION SELECT token FROM unnest($3::bytea[]) AS o(token)) t`;
    const listed = `(SELECT token FROM exchange_tokens WHERE chain_id = $1 AND factory = $2 AND block_number <= $4) t`;
    const from = others.length === 0 ? `${listed} WHERE $3::bytea[] IS NOT NULL` : all;
    const parameters = [chainId, bytes(factory), others.map(bytes), block];
    const [rows, counted] = await Promise.all([
      query<{ token: Address }>(`SELECT token FROM ${from} ORDER BY token LIMIT $5 OFFSET $6`, [...parameters, limit, offset]),
      query<{ count: number }>(`SELECT count(*) AS count FROM (SELECT FROM ${from} LIMIT ${countedAtMost + 1}) counted`, parameters),
    ]);
    const count = counted[0]?.count ?? 0;
    return { tokens: rows.map(({ token }) => token), total: count > countedAtMost ? null : count };
  };

  return { poolsAt, poolsAfter, exchangeKey, poolsOfToken, poolsOfOwner, activePools, tokensOfExchange };
}
