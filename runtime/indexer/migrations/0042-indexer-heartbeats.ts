import type { Knex } from "knex";

/**
 * When the indexing of each chain last made progress, and why it has failed since then. The row outlives the indexer, so that a server can report that the
 * indexer has stopped.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE indexer_heartbeats (
      chain_id int8 PRIMARY KEY,
      alive_at timestamptz,
      failure text,
      is_stopped boolean NOT NULL DEFAULT false
    ) WITH (fillfactor = 50)
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP TABLE indexer_heartbeats");
}
