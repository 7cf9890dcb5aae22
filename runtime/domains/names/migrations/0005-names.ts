import type { Knex } from "knex";

/**
 * Names: what contracts that speak as registries or resolvers of names (EIP-137) have said of a node.
 * Every such contract is followed: which registry a chain's names come from is the configuration's matter, and a resolver may have been filled
 * before a registry names it. `record`: 0 owner and 1 resolver (said by a registry), 2 address and 3 name (said by a resolver).
 * `value` is an address, or of record 3 the name in UTF-8; null where there is none any more.
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
