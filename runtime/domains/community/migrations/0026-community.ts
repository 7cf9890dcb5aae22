import type { Knex } from "knex";

/**
 * Declared protocols. `community_protocols` has those whose tables are installed: a hash of the statements that created them, and the names of their tables,
 * which are dropped when the declaration changes or is removed; their views are in the schema `cq_<id>`.
 * `community_reads` is the queue of contract calls: a read of a protocol that is due for a contract at a block. `attempts` counts calls that failed although the
 * node executed others. `community_read_schedule` has the blocks for which periodic reads have been queued: from `from_block` to `to_block`, for all contracts
 * of the protocol.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE community_protocols (
      id text PRIMARY KEY,
      fingerprint text NOT NULL,
      tables text[] NOT NULL
    );
    CREATE TABLE community_reads (
      chain_id int8 NOT NULL,
      protocol text NOT NULL,
      read_name text NOT NULL,
      contract bytea NOT NULL,
      block_number int8 NOT NULL,
      attempts int2 NOT NULL,
      PRIMARY KEY (chain_id, protocol, read_name, contract, block_number)
    );
    CREATE INDEX community_reads_due ON community_reads (chain_id, block_number);
    CREATE TABLE community_read_schedule (
      chain_id int8 NOT NULL,
      protocol text NOT NULL,
      read_name text NOT NULL,
      from_block int8 NOT NULL,
      to_block int8 NOT NULL,
      PRIMARY KEY (chain_id, protocol, read_name)
    );
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  const { rows } = (await knex.raw("SELECT id, tables FROM community_protocols")) as { rows: { id: string; tables: string[] }[] };
  for (const { id, tables } of rows) {
    await knex.raw("DROP SCHEMA IF EXISTS ?? CASCADE", [`cq_${id}`]);
    for (const table of tables) await knex.raw("DROP TABLE IF EXISTS ??", [table]);
  }
  await knex.raw("DROP TABLE community_read_schedule, community_reads, community_protocols");
}
