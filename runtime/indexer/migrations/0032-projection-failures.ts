import type { Knex } from "knex";

/** Why a projection is switched off; null for one that is not. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("ALTER TABLE projection_checkpoints ADD failure text");
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DELETE FROM projection_checkpoints WHERE failure IS NOT NULL");
  await knex.raw("ALTER TABLE projection_checkpoints DROP failure");
}
