import type { Knex } from "knex";

/** `account_balances_unknown`, a partial index of unknown balances, serves the check whether an index lacks past native balances. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX account_balances_unknown ON account_balances (chain_id) WHERE balance IS NULL OR balance_before IS NULL
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP INDEX account_balances_unknown");
}
