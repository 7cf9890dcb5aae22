import type { Knex } from "knex";

/**
 * Pools of exchanges: the factories that announced them, their states and their actions.
 * `pools` has one row for each announcement of a pool by a factory, numbered by `announcement`. Any contract may emit that event, so announcements of one
 * factory do not affect another, and the configuration decides which factories are exchanges. An announcement after the first event of the pool itself is
 * ignored: a factory announces a pool before the pool emits events. `family`: 0 constant product, 1 concentrated liquidity. `fee_ppm` is the fee of the pool
 * in millionths, null if the fee is set per exchange.
 * A pool that only one factory announced has that `factory` in its states and actions, and is included in the sums of the factory. A pool that several
 * factories claim has null there and a row in `shared_pools` for each of them; queries add it to their sums.
 * `pool_states` has a row for each block that changed the pool: its state after the block, and sums since its creation. Reserves are null until the pool
 * emits them (a concentrated pool never does); price, liquidity and tick are null for a constant-product pool; `supply` is that of the LP token.
 * `pool_actions`: `act` 0 swap, 1 liquidity added (as amounts in), 2 liquidity removed (as amounts out). `liquidity` is what was minted to the provider or
 * burned from it, excluding the protocol fee and the permanently locked minimum; null for a swap, or if it is unknown.
 * `pool_action_accounts` has each account of an action once: the sender of the transaction, the caller of the pool, the recipient. `exchange` is the
 * factory, or the pool itself if several claim it.
 * `pool_swap_days` has the first block of each UTC day (days since 1970) with a swap in a pool, so that active pools are found without reading all others;
 * `exchange_tokens` has the block since which an exchange has a pool with a token.
 * The volume of a token is the sum of amounts in and amounts out, so each swap is counted once for each of its tokens.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE pools (
      chain_id int8 NOT NULL,
      pool bytea NOT NULL,
      announcement int4 NOT NULL,
      factory bytea NOT NULL,
      token0 bytea NOT NULL,
      token1 bytea NOT NULL,
      family int2 NOT NULL,
      fee_ppm int4,
      block_number int8 NOT NULL,
      transaction_index int4 NOT NULL,
      PRIMARY KEY (chain_id, pool, announcement)
    );
    CREATE UNIQUE INDEX pools_factory ON pools (chain_id, factory, pool);
    CREATE INDEX pools_token0 ON pools (chain_id, token0, factory, pool);
    CREATE INDEX pools_token1 ON pools (chain_id, token1, factory, pool);
    CREATE INDEX pools_roll_back ON pools USING brin (block_number);
    CREATE TABLE shared_pools (
      chain_id int8 NOT NULL,
      factory bytea NOT NULL,
      pool bytea NOT NULL,
      block_number int8 NOT NULL,
      PRIMARY KEY (chain_id, factory, pool)
    );
    CREATE INDEX shared_pools_roll_back ON shared_pools USING brin (block_number);
    CREATE TABLE pool_states (
      chain_id int8 NOT NULL,
      pool bytea NOT NULL,
      block_number int8 NOT NULL,
      factory bytea,
      reserve0 numeric,
      reserve1 numeric,
      sqrt_price_x96 numeric,
      liquidity numeric,
      tick int4,
      supply numeric,
      swaps int8 NOT NULL,
      actions int8 NOT NULL,
      amount0_in numeric NOT NULL,
      amount0_out numeric NOT NULL,
      amount1_in numeric NOT NULL,
      amount1_out numeric NOT NULL,
      last_swap_day int4,
      PRIMARY KEY (chain_id, pool, block_number)
    );
    CREATE INDEX pool_states_roll_back ON pool_states USING brin (block_number);
    CREATE TABLE pool_actions (
      chain_id int8 NOT NULL,
      block_number int8 NOT NULL,
      log_index int4 NOT NULL,
      transaction_index int4 NOT NULL,
      pool bytea NOT NULL,
      factory bytea,
      act int2 NOT NULL,
      sender bytea NOT NULL,
      to_address bytea,
      amount0_in numeric NOT NULL,
      amount0_out numeric NOT NULL,
      amount1_in numeric NOT NULL,
      amount1_out numeric NOT NULL,
      liquidity numeric,
      PRIMARY KEY (chain_id, block_number, log_index)
    );
    CREATE TABLE pool_action_accounts (
      chain_id int8 NOT NULL,
      account bytea NOT NULL,
      exchange bytea NOT NULL,
      block_number int8 NOT NULL,
      log_index int4 NOT NULL,
      PRIMARY KEY (chain_id, account, exchange, block_number, log_index)
    );
    CREATE INDEX pool_action_accounts_roll_back ON pool_action_accounts USING brin (block_number);
    CREATE TABLE pool_swap_days (
      chain_id int8 NOT NULL,
      exchange bytea NOT NULL,
      day int4 NOT NULL,
      pool bytea NOT NULL,
      block_number int8 NOT NULL,
      PRIMARY KEY (chain_id, exchange, day, pool) INCLUDE (block_number)
    );
    CREATE INDEX pool_swap_days_roll_back ON pool_swap_days USING brin (block_number);
    CREATE TABLE exchange_sums (
      chain_id int8 NOT NULL,
      factory bytea NOT NULL,
      block_number int8 NOT NULL,
      swaps int8 NOT NULL,
      actions int8 NOT NULL,
      PRIMARY KEY (chain_id, factory, block_number)
    );
    CREATE INDEX exchange_sums_roll_back ON exchange_sums USING brin (block_number);
    CREATE TABLE exchange_token_sums (
      chain_id int8 NOT NULL,
      factory bytea NOT NULL,
      token bytea NOT NULL,
      block_number int8 NOT NULL,
      reserve numeric NOT NULL,
      swaps int8 NOT NULL,
      actions int8 NOT NULL,
      swap_transactions int8 NOT NULL,
      amount_in numeric NOT NULL,
      amount_out numeric NOT NULL,
      PRIMARY KEY (chain_id, factory, token, block_number)
    );
    CREATE INDEX exchange_token_sums_roll_back ON exchange_token_sums USING brin (block_number);
    CREATE TABLE exchange_tokens (
      chain_id int8 NOT NULL,
      factory bytea NOT NULL,
      token bytea NOT NULL,
      block_number int8 NOT NULL,
      PRIMARY KEY (chain_id, factory, token) INCLUDE (block_number)
    );
    CREATE INDEX exchange_tokens_roll_back ON exchange_tokens USING brin (block_number);
    -- The newest sums of each pool's exchange, which the fold loads for a block with an event of the pool.
    CREATE VIEW exchange_sums_of_pools AS
      SELECT p.chain_id, p.pool, s.swaps, s.actions FROM pools p CROSS JOIN LATERAL (
        SELECT * FROM exchange_sums e WHERE e.chain_id = p.chain_id AND e.factory = p.factory ORDER BY e.block_number DESC LIMIT 1) s
      WHERE p.announcement = 0;
    CREATE VIEW exchange_token_sums_of_pools AS
      SELECT p.chain_id, p.pool, side.side, s.reserve, s.swaps, s.actions, s.swap_transactions, s.amount_in, s.amount_out
      FROM pools p CROSS JOIN (VALUES (0::int2), (1::int2)) AS side(side) CROSS JOIN LATERAL (
        SELECT * FROM exchange_token_sums e
        WHERE e.chain_id = p.chain_id AND e.factory = p.factory AND e.token = CASE side.side WHEN 0 THEN p.token0 ELSE p.token1 END
        ORDER BY e.block_number DESC LIMIT 1) s
      WHERE p.announcement = 0;
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP VIEW exchange_token_sums_of_pools, exchange_sums_of_pools;
    DROP TABLE exchange_tokens, exchange_token_sums, exchange_sums, pool_swap_days, pool_action_accounts, pool_actions, pool_states, shared_pools, pools;
  `);
}
