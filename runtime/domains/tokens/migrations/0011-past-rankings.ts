import type { Knex } from "knex";

/**
 * A ranking of holders as of a past block skips many entries of the rank indexes for each entry that contains the block. As key columns, the blocks are
 * compared during the index scan; as included columns, they would first be extracted from each entry. The size of the indexes does not increase.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX balances_rank, balance_periods_rank;
    CREATE INDEX balances_rank ON balances (chain_id, token, standard, balance DESC, owner, since_block) WHERE balance > 0 AND standard > 0;
    CREATE INDEX balance_periods_rank ON balance_periods (chain_id, token, standard, pivot_block, balance DESC, owner, from_block, to_block)
      WHERE balance > 0 AND standard > 0;
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX balances_rank, balance_periods_rank;
    CREATE INDEX balances_rank ON balances (chain_id, token, standard, balance DESC, owner) INCLUDE (since_block) WHERE balance > 0 AND standard > 0;
    CREATE INDEX balance_periods_rank ON balance_periods (chain_id, token, standard, pivot_block, balance DESC, owner)
      INCLUDE (from_block, to_block) WHERE balance > 0 AND standard > 0;
  `);
}
