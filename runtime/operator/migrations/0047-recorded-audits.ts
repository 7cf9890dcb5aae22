import type { Knex } from "knex";

/** Adds an index that finds the last audit of each chain without reading the whole log. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("CREATE INDEX operator_actions_audits ON operator_actions (subject, id DESC) WHERE action = 'chain.audit'");
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP INDEX operator_actions_audits");
}
