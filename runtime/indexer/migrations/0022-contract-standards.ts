import type { Knex } from "knex";

/**
 * The standards of contracts whose Transfer or Approval logs may be ERC-20 or ERC-721 events. They are read once for the block of the first such log,
 * `block_number`; `read_at_block` is later if the node lacked that state. If neither boolean column is true, as in every row whose `read_at_block` is null
 * because the node returned no value, the form of the logs determines the standard. The rows are rolled back with their blocks; a rebuilt
 * projection starts from them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE contract_standards (
      chain_id int8 NOT NULL,
      address bytea NOT NULL,
      block_number int8 NOT NULL,
      is_coin boolean NOT NULL,
      is_collection boolean NOT NULL,
      read_at_block int8,
      PRIMARY KEY (chain_id, address)
    );
    CREATE INDEX contract_standards_roll_back ON contract_standards USING brin (block_number);
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP TABLE contract_standards");
}
