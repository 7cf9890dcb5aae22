import type { Knex } from "knex";

/**
 * What an address has sent and paid for, summed up to each block in which it sent something: the newest row at or below a block is the sum there,
 * one probe of the primary key whatever the address's history. `fees_paid` is in wei and holds what the sender paid beside the gas (of the layer below,
 * for blobs). The BRIN index serves roll-backs.
 * `offers` is what the chain's node can do, as it was last examined; null before.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE address_fees (
      chain_id int8 NOT NULL,
      address bytea NOT NULL,
      block_number int8 NOT NULL,
      sent_count int8 NOT NULL,
      fees_paid numeric(78,0) NOT NULL,
      PRIMARY KEY (chain_id, address, block_number)
    );
    CREATE INDEX address_fees_roll_back ON address_fees USING brin (block_number);
    ALTER TABLE chains ADD COLUMN offers text[];
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("ALTER TABLE chains DROP COLUMN offers; DROP TABLE address_fees");
}
