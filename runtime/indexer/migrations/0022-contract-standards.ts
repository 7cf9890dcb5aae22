import type { Knex } from "knex";

/**
 * What contracts whose Transfer or Approval logs may be of ERC-20 or of ERC-721 answered about themselves, asked once, after `block_number`, the block of the first
 * such log (at `read_at_block`, which is a later one where the node did not have that state). Where neither column is true, the form of the logs decides, as
 * it does while `read_at_block` is null: the node gave no answer.
 * The rows belong to blocks and go with them in a reorganisation; a projection that is rebuilt starts from them.
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
