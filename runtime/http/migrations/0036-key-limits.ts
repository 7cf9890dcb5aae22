import type { Knex } from "knex";

/** Limits of a key that differ from those of the configuration, by name: numbers, or the text "unlimited". */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("ALTER TABLE api_keys ADD COLUMN limits jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(limits) = 'object')");
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("ALTER TABLE api_keys DROP COLUMN limits");
}
