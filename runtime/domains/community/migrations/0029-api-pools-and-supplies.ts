import type { Knex } from "knex";

/**
 * More views of the schema `api`: supplies of ERC-20 tokens, the accounts of actions on pools, and the pools that several factories announced.
 *
 * `api.supplies` has a row for each block at which the supply of an ERC-20 token changed: the sum of its mints and burns, and the offset that was read from the
 * contract. A supply is null if it is unknown. The parts of the union have no conditions of their own, so that both are index scans in the order of blocks and
 * the newest row up to a block is one probe of each.
 *
 * `api.pool_action_accounts` has each account of an action on a pool once; `exchange` is the factory of the pool, or the pool itself if it is in
 * `api.shared_pools`.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE VIEW api.supplies AS
      SELECT k.chain_id, k.token, k.block_number,
        CASE WHEN e.supply >= 0 AND e.supply < 2::numeric ^ 256 THEN e.supply END AS supply
      FROM (
        SELECT chain_id, token, standard, block_number FROM public.token_supplies
        UNION ALL SELECT chain_id, token, 1::int2, block_number FROM public.supply_offsets) k
      LEFT JOIN LATERAL (
        SELECT s.supply FROM public.token_supplies s
        WHERE s.chain_id = k.chain_id AND s.token = k.token AND s.standard = 1 AND s.block_number <= k.block_number
        ORDER BY s.block_number DESC LIMIT 1) events ON true
      LEFT JOIN LATERAL (
        SELECT o.block_number, o.difference FROM public.supply_offsets o
        WHERE o.chain_id = k.chain_id AND o.token = k.token AND o.block_number <= k.block_number ORDER BY o.block_number DESC LIMIT 1) read ON true
      LEFT JOIN public.chains c ON c.chain_id = k.chain_id
      LEFT JOIN public.node_sourced_tokens n ON n.chain_id = k.chain_id AND n.token = k.token AND n.standard = 1
      CROSS JOIN LATERAL (
        SELECT coalesce(events.supply, 0) + CASE WHEN read.block_number IS NOT NULL THEN read.difference
          WHEN n.token IS NULL AND coalesce(c.indexed_from, 0) = 0 THEN 0 END AS supply) e
      WHERE k.standard = 1;
    CREATE VIEW api.pool_action_accounts AS
      SELECT chain_id, account, exchange, block_number, log_index FROM public.pool_action_accounts;
    CREATE VIEW api.shared_pools AS SELECT chain_id, factory, pool, block_number FROM public.shared_pools;
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP VIEW api.shared_pools, api.pool_action_accounts, api.supplies");
}
