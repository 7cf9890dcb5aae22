import type { Knex } from "knex";

/**
 * The schema `api`: the only relations that the SQL of community protocols may read, besides the tables of its own protocol. It is versioned with the
 * interface: columns are added, never renamed or removed.
 *
 * Views run with the privileges of their owner, so that the reader role needs none on the tables. The functions are plain SQL over these views: PostgreSQL
 * inlines them, and predicates on an owner or a token become index conditions (SQL functions that are STABLE, not STRICT, not SECURITY DEFINER, and without
 * SET clauses; PostgreSQL manual, "Function Volatility Categories").
 *
 * `api.balances_at` returns native and ERC-20 balances after a block: the current rows that were set by that block, and for rows set later the period that
 * contains it. `api.prices_at` returns prices in US dollars in the hour that contains a time: `price` of a whole token, null if its decimals are unknown, and
 * `unit_price` of its smallest unit. A token whose price is unknown has no row. Prices that are more than a day behind the chain do not count as current.
 *
 * `community_reader` has the name and the password of the role that runs this SQL (see reader-role.ts); the role itself cannot read it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE community_reader (role text PRIMARY KEY, password text NOT NULL);
    CREATE SCHEMA api;
    CREATE VIEW api.blocks AS
      SELECT chain_id, number, hash, parent_hash, timestamp, miner, gas_used, gas_limit, base_fee, transaction_count FROM public.blocks;
    CREATE VIEW api.transactions AS
      SELECT chain_id, block_number, transaction_index, hash, from_address, to_address, created_contract, value, nonce, gas_limit, gas_used, gas_price,
        successful, input
      FROM public.transactions;
    CREATE VIEW api.address_transactions AS
      SELECT chain_id, address, ordinal, block_number, transaction_index FROM public.address_transactions;
    CREATE VIEW api.logs AS
      SELECT chain_id, block_number, log_index, transaction_index, address, topic0, topic1, topic2, topic3, data FROM public.logs;
    CREATE VIEW api.transfers AS
      SELECT chain_id, block_number, log_index, transaction_index, standard, token, from_address, to_address, token_id, amount FROM public.transfers;
    CREATE VIEW api.tokens AS SELECT chain_id, address, name, symbol, decimals FROM public.token_metadata;
    CREATE VIEW api.pools AS
      SELECT chain_id, pool, factory, token0, token1, family, fee_ppm, block_number, transaction_index FROM public.pools;
    CREATE VIEW api.pool_states AS
      SELECT chain_id, pool, block_number, reserve0, reserve1, sqrt_price_x96, liquidity, tick, supply FROM public.pool_states;
    CREATE VIEW api.pool_actions AS
      SELECT chain_id, block_number, log_index, transaction_index, pool, act, sender, to_address, amount0_in, amount0_out, amount1_in, amount1_out, liquidity
      FROM public.pool_actions;
    CREATE VIEW api.balances AS
      SELECT chain_id, owner, token, since_block, balance, standard FROM public.balances WHERE standard <= 1;
    CREATE VIEW api.balance_periods AS
      SELECT chain_id, owner, token, from_block, to_block, balance, standard FROM public.balance_periods WHERE standard <= 1;
    CREATE VIEW api.price_hours AS SELECT chain_id, asset AS token, hour, close AS unit_price FROM public.price_hours;
    CREATE VIEW api.priced_tokens AS SELECT chain_id, asset AS token FROM public.priced_assets WHERE length(asset) = 20;
    CREATE VIEW api.price_progress AS SELECT chain_id, hour FROM public.price_progress;

    CREATE FUNCTION api.balances_at(chain int8, block int8) RETURNS TABLE (owner bytea, token bytea, balance numeric) LANGUAGE sql STABLE AS $$
      SELECT b.owner, b.token, b.balance FROM api.balances b WHERE b.chain_id = balances_at.chain AND b.since_block <= balances_at.block
      UNION ALL
      SELECT b.owner, b.token, p.balance FROM api.balances b CROSS JOIN LATERAL (
        SELECT h.balance FROM api.balance_periods h
        WHERE h.chain_id = b.chain_id AND h.owner = b.owner AND h.token = b.token AND h.standard = b.standard AND h.from_block <= balances_at.block
        ORDER BY h.from_block DESC LIMIT 1) p
      WHERE b.chain_id = balances_at.chain AND b.since_block > balances_at.block
    $$;
    CREATE FUNCTION api.prices_at(chain int8, unix_time int8) RETURNS TABLE (token bytea, price numeric, unit_price numeric) LANGUAGE sql STABLE AS $$
      SELECT a.token, p.unit_price * power(10::numeric, t.decimals::numeric), p.unit_price
      FROM api.priced_tokens a
      CROSS JOIN LATERAL (
        SELECT h.unit_price FROM api.price_hours h
        WHERE h.chain_id = a.chain_id AND h.token = a.token AND h.hour <= prices_at.unix_time / 3600 ORDER BY h.hour DESC LIMIT 1) p
      LEFT JOIN api.tokens t ON t.chain_id = a.chain_id AND t.address = a.token
      WHERE a.chain_id = prices_at.chain AND p.unit_price IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM (SELECT g.hour FROM api.price_progress g WHERE g.chain_id = prices_at.chain ORDER BY g.hour DESC LIMIT 1) computed
        WHERE prices_at.unix_time / 3600 > computed.hour + 24
          AND (computed.hour + 25)::int8 * 3600 <= (SELECT b.timestamp FROM api.blocks b WHERE b.chain_id = prices_at.chain ORDER BY b.number DESC LIMIT 1))
    $$;
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP SCHEMA api CASCADE; DROP TABLE community_reader");
}
