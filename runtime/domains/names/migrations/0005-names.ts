import type { Knex } from "knex";

/**
 * Names: the records of each node, as contracts have emitted them in the role of a registry or resolver (EIP-137).
 * The events of all contracts are stored: the configuration decides which registry a chain uses, and a resolver may have received its records before a
 * registry referred to it. `record`: 0 owner and 1 resolver (from a registry), 2 address and 3 name (from a resolver).
 * `value` is an address, or for record 3 the name in UTF-8; null if the record was cleared.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE name_records (
      chain_id int8 NOT NULL,
      contract bytea NOT NULL,
      node bytea NOT NULL,
      record int2 NOT NULL,
      block_number int8 NOT NULL,
      value bytea,
      PRIMARY KEY (chain_id, contract, node, record, block_number)
    );
    CREATE INDEX name_records_roll_back ON name_records USING brin (block_number);
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP TABLE name_records");
}
