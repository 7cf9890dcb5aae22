import type { Knex } from "knex";

/**
 * A transaction's gas limit is 256 bits wide for whoever sets it, and is kept exactly; a block's is so already.
 * `batch_size` and `traces_by` say of a chain's node, beside `offers`, how many calls it takes in one request and by which calls it tells traces
 * (`trace` or `debug`); null where it was not examined or has none.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE transactions ALTER COLUMN gas_limit TYPE numeric(78,0);
    ALTER TABLE chains ADD COLUMN batch_size int4, ADD COLUMN traces_by text;
  `);
}

export const onlyExpands = false;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE chains DROP COLUMN traces_by, DROP COLUMN batch_size;
    -- What is too wide cannot be kept; it must not stand in the way.
    ALTER TABLE transactions ALTER COLUMN gas_limit TYPE int8 USING least(gas_limit, 9223372036854775807)::int8;
  `);
}
