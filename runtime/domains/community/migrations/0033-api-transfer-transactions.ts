import type { Knex } from "knex";

/**
 * `api.transfer_transactions` has the transactions with ERC-20 transfers from or to an address, in block order. `api.transfers` is in block order only for the
 * transfers of one token.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE VIEW api.transfer_transactions AS
      SELECT chain_id, address, ordinal, block_number, transaction_index FROM public.transfer_transactions;
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP VIEW api.transfer_transactions");
}
