import type { PoolFamily } from "../../../events/decoded-block.ts";
import type { StateLoad, Table } from "../../../indexer/projection.ts";

/** Values of the column `act` in pool_actions. */
export const actionCodes = { swap: 0, add: 1, remove: 2 } as const;

/** Values of the column `family` in pools. */
export const familyCodes: Readonly<Record<PoolFamily, number>> = { "xy=k": 0, concentrated: 1 };

const amounts = { amount0_in: "numeric", amount0_out: "numeric", amount1_in: "numeric", amount1_out: "numeric" } as const;
const exchangeSums = { swaps: "int8", actions: "int8" } as const;
const tokenSums = {
  reserve: "numeric",
  swaps: "int8",
  actions: "int8",
  swap_transactions: "int8",
  amount_in: "numeric",
  amount_out: "numeric",
} as const;
const stateValues = {
  factory: "bytea",
  reserve0: "numeric",
  reserve1: "numeric",
  sqrt_price_x96: "numeric",
  liquidity: "numeric",
  tick: "int4",
  supply: "numeric",
  swaps: "int8",
  actions: "int8",
  ...amounts,
  last_swap_day: "int4",
} as const;

/** The tables of migration 0012. */
export const poolTables: readonly Table[] = [
  {
    kind: "append",
    name: "pools",
    columns: {
      pool: "bytea",
      announcement: "int4",
      factory: "bytea",
      token0: "bytea",
      token1: "bytea",
      family: "int2",
      fee_ppm: "int4",
      block_number: "int8",
      transaction_index: "int4",
    },
  },
  { kind: "append", name: "shared_pools", columns: { factory: "bytea", pool: "bytea", block_number: "int8" } },
  { kind: "append", name: "pool_states", columns: { pool: "bytea", block_number: "int8", ...stateValues } },
  {
    kind: "append",
    name: "pool_actions",
    columns: {
      block_number: "int8",
      log_index: "int4",
      transaction_index: "int4",
      pool: "bytea",
      factory: "bytea",
      act: "int2",
      sender: "bytea",
      to_address: "bytea",
      ...amounts,
      liquidity: "numeric",
    },
  },
  {
    kind: "append",
    name: "pool_action_accounts",
    columns: { account: "bytea", exchange: "bytea", block_number: "int8", log_index: "int4" },
  },
  {
    kind: "append",
    name: "pool_swap_days",
    columns: { exchange: "bytea", day: "int4", pool: "bytea", block_number: "int8" },
  },
  { kind: "append", name: "exchange_tokens", columns: { factory: "bytea", token: "bytea", block_number: "int8" } },
  { kind: "append", name: "exchange_sums", columns: { factory: "bytea", block_number: "int8", ...exchangeSums } },
  { kind: "append", name: "exchange_token_sums", columns: { factory: "bytea", token: "bytea", block_number: "int8", ...tokenSums } },
];

/** The state that a fold loads: a pool's last announcement and its state, and the sums of its exchange and tokens. */
export const poolLoads: Readonly<Record<string, StateLoad>> = {
  announcements: {
    table: "pools",
    key: { pool: "bytea" },
    valueColumns: ["announcement", "factory", "token0", "token1", "family"],
    newestBy: "announcement",
  },
  // Served by pools_factory.
  announcedBy: { table: "pools", key: { factory: "bytea", pool: "bytea" }, valueColumns: [] },
  states: { table: "pool_states", key: { pool: "bytea" }, valueColumns: Object.keys(stateValues), newestBy: "block_number" },
  exchanges: { table: "exchange_sums", key: { factory: "bytea" }, valueColumns: Object.keys(exchangeSums), newestBy: "block_number" },
  exchangeTokens: {
    table: "exchange_token_sums",
    key: { factory: "bytea", token: "bytea" },
    valueColumns: Object.keys(tokenSums),
    newestBy: "block_number",
  },
  // The exchange of a pool is unknown before the pool is loaded: these views join it.
  exchangesOfPools: { table: "exchange_sums_of_pools", key: { pool: "bytea" }, valueColumns: Object.keys(exchangeSums) },
  exchangeTokensOfPools: {
    table: "exchange_token_sums_of_pools",
    key: { pool: "bytea", side: "int2" },
    valueColumns: Object.keys(tokenSums),
  },
};
