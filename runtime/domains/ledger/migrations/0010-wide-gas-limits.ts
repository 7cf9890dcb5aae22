import type { Knex } from "knex";

/**
 * A transaction may set any gas limit of up to 256 bits, which is stored exactly; a block's gas limit already is.
 * `batch_size` and `traces_by` are capabilities of the chain's node, in addition to `offers`: the number of calls that it accepts in one request, and the
 * namespace of the methods that return traces (`trace` or `debug`); null if not examined or not available.
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
    -- A value that is too wide is reduced to the maximum, so that the migration can be reverted.
    ALTER TABLE transactions ALTER COLUMN gas_limit TYPE int8 USING least(gas_limit, 9223372036854775807)::int8;
  `);
}
