import type { Knex } from "knex";

/**
 * Safes (multi-signature accounts), as emitted by any contract with their events.
 * `safe_executions` has a row for each executed transaction at the log that ends it: `tx_hash` is the hash that owners sign, `signatures` the bytes that the
 * Safe received, null if unknown. The owners and the threshold that count are those before the log `checked_before` of the block.
 * `safe_owners` and `safe_thresholds` have all changes; the last one before a position is in force.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE safe_executions (
      chain_id int8 NOT NULL,
      block_number int8 NOT NULL,
      log_index int4 NOT NULL,
      transaction_index int4 NOT NULL,
      safe bytea NOT NULL,
      tx_hash bytea NOT NULL,
      signatures bytea,
      checked_before int4 NOT NULL,
      PRIMARY KEY (chain_id, block_number, log_index)
    );
    CREATE TABLE safe_owners (
      chain_id int8 NOT NULL,
      safe bytea NOT NULL,
      owner bytea NOT NULL,
      block_number int8 NOT NULL,
      log_index int4 NOT NULL,
      is_owner boolean NOT NULL,
      PRIMARY KEY (chain_id, safe, owner, block_number, log_index)
    );
    CREATE INDEX safe_owners_roll_back ON safe_owners USING brin (block_number);
    CREATE TABLE safe_thresholds (
      chain_id int8 NOT NULL,
      safe bytea NOT NULL,
      block_number int8 NOT NULL,
      log_index int4 NOT NULL,
      threshold numeric(78,0) NOT NULL,
      PRIMARY KEY (chain_id, safe, block_number, log_index)
    );
    CREATE INDEX safe_thresholds_roll_back ON safe_thresholds USING brin (block_number);
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP TABLE safe_thresholds, safe_owners, safe_executions");
}
