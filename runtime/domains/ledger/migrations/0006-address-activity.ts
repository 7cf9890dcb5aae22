import type { Knex } from "knex";

/**
 * The transactions that an address has sent and the fees that it paid, as running sums at each block in which it sent one: the newest row at or below a
 * block has the sum at that block and is found by one probe of the primary key. `fees_paid` is in wei and includes fees other than gas (L1 fees, blob fees).
 * The BRIN index serves roll-backs.
 * `offers` lists the capabilities of the chain's node when they were last examined; null before that.
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
