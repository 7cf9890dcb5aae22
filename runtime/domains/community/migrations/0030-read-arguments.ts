import type { Knex } from "knex";

/** Adds to the key of a queued read the values of the arguments that it takes from columns of an event, separated by commas. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE community_reads ADD arguments text NOT NULL DEFAULT '', DROP CONSTRAINT community_reads_pkey;
    ALTER TABLE community_reads ADD PRIMARY KEY (chain_id, protocol, read_name, contract, arguments, block_number);
  `);
}

/** Earlier versions insert by the former key. */
export const onlyExpands = false;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DELETE FROM community_reads WHERE arguments <> '';
    ALTER TABLE community_reads DROP CONSTRAINT community_reads_pkey, DROP arguments;
    ALTER TABLE community_reads ADD PRIMARY KEY (chain_id, protocol, read_name, contract, block_number);
  `);
}
