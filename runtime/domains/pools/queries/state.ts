import { bytes } from "../../../database/codecs.ts";
import { jsonArrayOf } from "../../../database/columns.ts";
import type { Queryable } from "../../../database/database.ts";
import { columnList, identifier, joinSql, plannedOnce, sql } from "../../../database/sql.ts";
import type { Address } from "../../../lib/hex.ts";
import type { ExchangeKey } from "./exchange.ts";

/** The state of a pool after a block, with cumulative sums. Amounts are decimal digits in the smallest unit; an unknown reserve or supply is null. */
export interface PoolState {
  readonly reserve0: string | null;
  readonly reserve1: string | null;
  readonly supply: string | null;
  readonly swaps: number;
  readonly amount0_in: string;
  readonly amount0_out: string;
  readonly amount1_in: string;
  readonly amount1_out: string;
}

/** The sums of a token in an exchange's pools after a block. */
export interface TokenState {
  readonly reserve: string;
  readonly swaps: number;
  /** Excludes transactions that swapped the token only in shared pools, which `sharedSwapTransactions` counts. */
  readonly swap_transactions: number;
  readonly amount_in: string;
  readonly amount_out: string;
}

/** A pool before its first event. */
export const emptyPoolState: PoolState = {
  reserve0: "0",
  reserve1: "0",
  supply: "0",
  swaps: 0,
  amount0_in: "0",
  amount0_out: "0",
  amount1_in: "0",
  amount1_out: "0",
};
const emptyToken: TokenState = { reserve: "0", swaps: 0, swap_transactions: 0, amount_in: "0", amount_out: "0" };

/** Maps null (no block before the requested time) to -1, below every block. */
const heightOf = (block: number | null): number => block ?? -1;

/** Queries for pool states and exchange sums at given blocks. */
export function createStateQueries({ query }: Pick<Queryable, "query">) {
  const statesAt = createPoolStates({ query });
  const tokenSumsAt = createTokenSums({ query });
  return {
    statesAt,

    /**
     * An exchange's cumulative number of swaps at each of the blocks. Served by the primary keys: one probe of its sums per block, and one per shared
     * pool and block.
     */
    exchangeSwapsAt: async (
      chainId: number,
      { factory, sharedPools: shared }: ExchangeKey,
      blocks: readonly (number | null)[],
    ): Promise<number[]> => {
      const [rows, sharedStates] = await Promise.all([
        query<{ swaps: number | null }>(
          `SELECT (SELECT swaps FROM exchange_sums s WHERE s.chain_id = $1 AND s.factory = $2 AND s.block_number <= b.block
                   ORDER BY s.block_number DESC LIMIT 1) AS swaps
           FROM unnest($3::int8[]) WITH ORDINALITY AS b(block, position) ORDER BY b.position`,
          [chainId, bytes(factory), blocks.map(heightOf)],
        ),
        statesAt(chainId, shared, blocks),
      ]);
      return rows.map(({ swaps }, position) => shared.reduce((sum, pool) => sum + (sharedStates(pool)[position]?.swaps ?? 0), swaps ?? 0));
    },

    /**
     * Token sums in an exchange's pools after each of the blocks, by token. The states of `sharedPools`, pools also announced by other factories, are
     * added. Served by the primary keys, one probe per token or shared pool and block.
     */
    tokenStatesAt: async (
      chainId: number,
      factory: Address,
      tokens: readonly Address[],
      shared: readonly { readonly pool: Address; readonly token0: Address; readonly token1: Address }[],
      blocks: readonly (number | null)[],
    ): Promise<(token: Address) => readonly TokenState[]> => {
      const sharedPools = shared.map(({ pool }) => pool);
      const [byToken, sharedStates] = await Promise.all([
        tokenSumsAt(chainId, factory, tokens, blocks),
        statesAt(chainId, sharedPools, blocks),
      ]);
      for (const pool of shared) {
        for (const side of [0, 1] as const) {
          const states = byToken.get(side === 0 ? pool.token0 : pool.token1);
          states?.forEach((state, position) => {
            states[position] = addPool(state, sharedStates(pool.pool)[position] ?? emptyPoolState, side);
          });
        }
      }
      return (token) => byToken.get(token) ?? blocks.map(() => emptyToken);
    },
  };
}

const listedColumns = ["reserve0", "reserve1", "supply", "amount0_in", "amount0_out", "amount1_in", "amount1_out"] as const;

/** The columns of states as lists (see database/columns.ts), with the 1-based positions of their pools and blocks. */
type StateColumns = { readonly [Name in (typeof listedColumns)[number]]: readonly PoolState[Name][] } & {
  readonly pools: readonly number[];
  readonly blocks: readonly number[];
  readonly swaps: readonly number[];
};

/** Served by the primary key, one probe per pool and block. */
const selectStates =
  plannedOnce(sql`SELECT ${jsonArrayOf("pool_position")} AS pools, ${jsonArrayOf("block_position")} AS blocks, ${jsonArrayOf("swaps")} AS swaps,
    ${joinSql(listedColumns.map((name) => sql`${jsonArrayOf(sql`${identifier(name)}::text`)} AS ${identifier(name)}`))}
  FROM (SELECT k.position AS pool_position, b.position AS block_position, s.*
    FROM unnest($2::bytea[]) WITH ORDINALITY AS k(pool, position) CROSS JOIN unnest($3::int8[]) WITH ORDINALITY AS b(block, position) CROSS JOIN LATERAL (
      SELECT swaps, ${columnList(listedColumns)} FROM pool_states s
      WHERE s.chain_id = $1 AND s.pool = k.pool AND s.block_number <= b.block ORDER BY s.block_number DESC LIMIT 1) s) states`);

/** The states of pools after each of the blocks, by pool, in block order. They are read as lists, because a page needs thousands of them. */
const createPoolStates =
  ({ query }: Pick<Queryable, "query">) =>
  async (
    chainId: number,
    pools: readonly Address[],
    blocks: readonly (number | null)[],
  ): Promise<(pool: Address) => readonly PoolState[]> => {
    const parameters = [chainId, pools.map(bytes), blocks.map(heightOf)];
    const [columns] = pools.length === 0 ? [] : await query<StateColumns>(selectStates, parameters);
    const byPool = new Map<Address, PoolState[]>();
    columns?.pools.forEach((position, row) => {
      const pool = pools[position - 1];
      if (pool === undefined) return;
      const states = byPool.get(pool) ?? blocks.map(() => emptyPoolState);
      states[(columns.blocks[row] ?? 0) - 1] = stateIn(columns, row);
      byPool.set(pool, states);
    });
    return (pool) => byPool.get(pool) ?? blocks.map(() => emptyPoolState);
  };

const stateIn = (columns: StateColumns, row: number): PoolState => ({
  reserve0: columns.reserve0[row] ?? null,
  reserve1: columns.reserve1[row] ?? null,
  supply: columns.supply[row] ?? null,
  swaps: columns.swaps[row] ?? 0,
  amount0_in: columns.amount0_in[row] ?? "0",
  amount0_out: columns.amount0_out[row] ?? "0",
  amount1_in: columns.amount1_in[row] ?? "0",
  amount1_out: columns.amount1_out[row] ?? "0",
});

/** Token sums after each of the blocks, in the pools of an exchange that no other factory has announced. */
const createTokenSums =
  ({ query }: Pick<Queryable, "query">) =>
  async (
    chainId: number,
    factory: Address,
    tokens: readonly Address[],
    blocks: readonly (number | null)[],
  ): Promise<Map<Address, TokenState[]>> => {
    const rows = await query<TokenState & { readonly token: Address; readonly position: number }>(
      `SELECT k.token, b.position::int4 AS position, reserve, swaps, swap_transactions, amount_in, amount_out
       FROM unnest($3::bytea[]) AS k(token) CROSS JOIN unnest($4::int8[]) WITH ORDINALITY AS b(block, position) CROSS JOIN LATERAL (
         SELECT reserve, swaps, swap_transactions, amount_in, amount_out FROM exchange_token_sums s
         WHERE s.chain_id = $1 AND s.factory = $2 AND s.token = k.token AND s.block_number <= b.block ORDER BY s.block_number DESC LIMIT 1) s`,
      [chainId, bytes(factory), tokens.map(bytes), blocks.map(heightOf)],
    );
    const byToken = new Map(tokens.map((token) => [token, blocks.map(() => emptyToken)]));
    for (const { token, position, ...state } of rows) {
      const states = byToken.get(token);
      if (states !== undefined) states[position - 1] = state;
    }
    return byToken;
  };

const sumOf = (left: string, right: string): string => String(BigInt(left) + BigInt(right));

/** Adds a pool's state to the sums of its token on `side`. */
const addPool = (state: TokenState, pool: PoolState, side: 0 | 1): TokenState => ({
  ...state,
  reserve: sumOf(state.reserve, (side === 0 ? pool.reserve0 : pool.reserve1) ?? "0"),
  swaps: state.swaps + pool.swaps,
  amount_in: sumOf(state.amount_in, side === 0 ? pool.amount0_in : pool.amount1_in),
  amount_out: sumOf(state.amount_out, side === 0 ? pool.amount0_out : pool.amount1_out),
});
