import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import type { Address } from "../../../lib/hex.ts";
import type { ExchangeKey } from "./pool.ts";

/** What was in a pool after a block, and sums from its beginning. Digits in the smallest unit; a reserve or supply that is not known is null. */
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

/** What an exchange's pools had of a token after a block, and sums from its beginning. */
export interface TokenState {
  readonly reserve: string;
  readonly swaps: number;
  /** Of its own pools alone: `sharedSwapTransactions` has those of pools that other factories claim too. */
  readonly swap_transactions: number;
  readonly amount_in: string;
  readonly amount_out: string;
}

/** What a pool is before it said anything. */
export const emptyPool: PoolState = {
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

const poolColumns = "reserve0, reserve1, supply, swaps, amount0_in, amount0_out, amount1_in, amount1_out";
const tokenColumns = "reserve, swaps, swap_transactions, amount_in, amount_out";

/** A height at which something had not begun; null stands for it where a time has no block before it. */
const heightOf = (block: number | null): number => block ?? -1;

/** Questions about what pools, and exchanges with all of theirs, held and traded up to given blocks. */
export function createStateQueries({ query }: Pick<Database, "query">) {
  /** The states of pools after each of some blocks, by pool, in the order of the blocks. Served by the primary key, one probe a pool and block. */
  const statesAt = async (
    chainId: number,
    pools: readonly Address[],
    blocks: readonly (number | null)[],
  ): Promise<(pool: Address) => readonly PoolState[]> => {
    const rows =
      pools.length === 0
        ? []
        : await query<PoolState & { readonly pool: Address; readonly position: number }>(
            `SELECT k.pool, b.position::int4 AS position, ${poolColumns}
             FROM unnest($2::bytea[]) AS k(pool) CROSS JOIN unnest($3::int8[]) WITH ORDINALITY AS b(block, position) CROSS JOIN LATERAL (
               SELECT ${poolColumns} FROM pool_states s WHERE s.chain_id = $1 AND s.pool = k.pool AND s.block_number <= b.block
               ORDER BY s.block_number DESC LIMIT 1) s`,
            [chainId, pools.map(bytes), blocks.map(heightOf)],
          );
    const byPool = new Map<Address, PoolState[]>();
    for (const row of rows) {
      const states = byPool.get(row.pool) ?? blocks.map(() => emptyPool);
      // As it came: thousands of these are read for a page, and to take objects apart costs more than all else that is done with them.
      states[row.position - 1] = row;
      byPool.set(row.pool, states);
    }
    return (pool) => byPool.get(pool) ?? blocks.map(() => emptyPool);
  };

  /**
   * How many swaps an exchange had by each of some blocks. Served by the primary keys: one probe of its sums a block, and one for each pool that other
   * factories claim too.
   */
  const exchangeSwapsAt = async (
    chainId: number,
    { factory, shared }: ExchangeKey,
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
  };

  /**
   * What an exchange's pools had of tokens after each of some blocks, by token. `shared` are the pools that other factories claim too, with the
   * side on which each has which token: they are added. Served by the primary keys, one probe a token or shared pool and block.
   */
  const tokenStatesAt = async (
    chainId: number,
    factory: Address,
    tokens: readonly Address[],
    shared: readonly { readonly pool: Address; readonly token0: Address; readonly token1: Address }[],
    blocks: readonly (number | null)[],
  ): Promise<(token: Address) => readonly TokenState[]> => {
    const [rows, sharedStates] = await Promise.all([
      query<TokenState & { readonly token: Address; readonly position: number }>(
        `SELECT k.token, b.position::int4 AS position, ${tokenColumns}
         FROM unnest($3::bytea[]) AS k(token) CROSS JOIN unnest($4::int8[]) WITH ORDINALITY AS b(block, position) CROSS JOIN LATERAL (
           SELECT ${tokenColumns} FROM exchange_token_sums s
           WHERE s.chain_id = $1 AND s.factory = $2 AND s.token = k.token AND s.block_number <= b.block
           ORDER BY s.block_number DESC LIMIT 1) s`,
        [chainId, bytes(factory), tokens.map(bytes), blocks.map(heightOf)],
      ),
      statesAt(
        chainId,
        shared.map(({ pool }) => pool),
        blocks,
      ),
    ]);
    const byToken = new Map(tokens.map((token) => [token, blocks.map(() => emptyToken)]));
    for (const { token, position, ...state } of rows) {
      const states = byToken.get(token);
      if (states !== undefined) states[position - 1] = state;
    }
    for (const pool of shared) {
      for (const side of [0, 1] as const) {
        const states = byToken.get(side === 0 ? pool.token0 : pool.token1);
        states?.forEach((state, position) => {
          states[position] = addPool(state, sharedStates(pool.pool)[position] ?? emptyPool, side);
        });
      }
    }
    return (token) => byToken.get(token) ?? blocks.map(() => emptyToken);
  };

  return { statesAt, exchangeSwapsAt, tokenStatesAt };
}

const sumOf = (left: string, right: string): string => String(BigInt(left) + BigInt(right));

/** A token's sums with those of one more pool, in which it stands on a side. */
const addPool = (state: TokenState, pool: PoolState, side: 0 | 1): TokenState => ({
  ...state,
  reserve: sumOf(state.reserve, (side === 0 ? pool.reserve0 : pool.reserve1) ?? "0"),
  swaps: state.swaps + pool.swaps,
  amount_in: sumOf(state.amount_in, side === 0 ? pool.amount0_in : pool.amount1_in),
  amount_out: sumOf(state.amount_out, side === 0 ? pool.amount0_out : pool.amount1_out),
});
