import type { Knex } from "knex";

/** How far each projection has come on each chain; written in the transaction that writes its rows. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE projection_checkpoints (
      chain_id int8 NOT NULL,
      projection text NOT NULL,
      version int4 NOT NULL,
      block_number int8 NOT NULL,
      PRIMARY KEY (chain_id, projection)
    );
    CREATE TABLE node_reads (
      chain_id int8 NOT NULL,
      kind text NOT NULL,
      key bytea NOT NULL,
      block_number int8 NOT NULL,
      attempts int4 NOT NULL DEFAULT 0,
      run_after timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (chain_id, kind, key)
    );
    CREATE INDEX node_reads_due ON node_reads (chain_id, run_after);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP TABLE node_reads, projection_checkpoints");
}
