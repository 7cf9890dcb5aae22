import type { Knex } from "knex";

/**
 * The primary keys that long lists go through carry what these lists show, so that a wallet of tens of thousands of tokens is read from two indexes alone:
 * its balances with the block of the last change, and the times of these blocks. An update of a balance changed an index before, so none costs more rows.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE blocks DROP CONSTRAINT blocks_pkey, ADD PRIMARY KEY (chain_id, number) INCLUDE (timestamp);
    ALTER TABLE balances DROP CONSTRAINT balances_pkey, ADD PRIMARY KEY (chain_id, owner, token, standard) INCLUDE (since_block, balance);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE balances DROP CONSTRAINT balances_pkey, ADD PRIMARY KEY (chain_id, owner, token, standard);
    ALTER TABLE blocks DROP CONSTRAINT blocks_pkey, ADD PRIMARY KEY (chain_id, number);
  `);
}
