import type { Knex } from "knex";

/** The history of a single token id: who received it first, who has it now, and in which transactions it moved. Other transfers have no id and are not in it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    "CREATE INDEX transfers_token_id ON transfers (chain_id, token, token_id, block_number, ordinal) WHERE token_id IS NOT NULL",
  );
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP INDEX transfers_token_id");
}
