import type { Knex } from "knex";

/**
 * Total supplies.
 * `token_supplies` has a row for each block with a mint or burn: for an ERC-20 token the mints less burns since the first indexed block, which may be negative;
 * for a collection the number of tokens, null if events do not determine it.
 * `supply_offsets` is the difference between `totalSupply()` of an ERC-20 token and that sum, read from the contract; a row is valid from its block until
 * the next one. `difference` is null if the contract returns no supply (`is_silent`), or if it changed at a block that has not been located yet. Without any
 * row, no difference was found. `supply_offsets_open` serves the search for rows whose block is not located, `supply_offsets_roll_back` serves roll-backs;
 * `token_supplies_roll_back` serves these and the search for recent mints and burns.
 * `balance_periods_zero_open` serves the search for periods in which the balance of the zero address changed at a block that has not been located yet.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE holder_counts DROP COLUMN supply;
    CREATE TABLE token_supplies (
      chain_id int8 NOT NULL,
      token bytea NOT NULL,
      standard int2 NOT NULL,
      block_number int8 NOT NULL,
      supply numeric,
      PRIMARY KEY (chain_id, token, standard, block_number)
    );
    CREATE INDEX token_supplies_roll_back ON token_supplies (chain_id, block_number);
    CREATE TABLE supply_offsets (
      chain_id int8 NOT NULL,
      token bytea NOT NULL,
      block_number int8 NOT NULL,
      difference numeric,
      is_silent boolean NOT NULL DEFAULT false,
      PRIMARY KEY (chain_id, token, block_number)
    );
    CREATE INDEX supply_offsets_roll_back ON supply_offsets (chain_id, block_number);
    CREATE INDEX supply_offsets_open ON supply_offsets (chain_id, token, block_number DESC) WHERE difference IS NULL AND NOT is_silent;
    CREATE INDEX balance_periods_zero_open ON balance_periods (chain_id, token, from_block DESC)
      WHERE owner = '\\x0000000000000000000000000000000000000000' AND standard = 1 AND balance IS NULL AND net_change IS NULL;
  `);
}

export const onlyExpands = false;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX balance_periods_zero_open;
    DROP TABLE supply_offsets, token_supplies;
    ALTER TABLE holder_counts ADD COLUMN supply numeric(78,0);
  `);
}
