import type { Knex } from "knex";

/** The history of a token id: its first recipient, its current owner, and the transactions that transferred it. Transfers without an id are not included. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    "CREATE INDEX transfers_token_id ON transfers (chain_id, token, token_id, block_number, ordinal) WHERE token_id IS NOT NULL",
  );
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP INDEX transfers_token_id");
}
