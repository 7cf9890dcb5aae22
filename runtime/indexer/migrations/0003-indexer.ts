import type { Knex } from "knex";

/**
 * The checkpoints of each projection on each chain, written in the transaction that writes its rows, and values read from the node.
 * `base_reads` stores what the node returned about the state before the first indexed block, so that a rebuilt projection does not need to read it again: `key`
 * is an address (for its native balance), or an address and the data of a call; `value` is null if the node returned no value.
 * `node_reads` is the queue of reads that are not urgent.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE projection_checkpoints (
      chain_id int8 NOT NULL,
      projection text NOT NULL,
      version int4 NOT NULL,
      block_number int8 NOT NULL,
      PRIMARY KEY (chain_id, projection)
    );
    CREATE TABLE base_reads (
      chain_id int8 NOT NULL,
      key bytea NOT NULL,
      block_number int8 NOT NULL,
      value bytea,
      reverted boolean NOT NULL,
      PRIMARY KEY (chain_id, key)
    );
    CREATE INDEX base_reads_roll_back ON base_reads USING brin (block_number);
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

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP TABLE node_reads, base_reads, projection_checkpoints");
}
