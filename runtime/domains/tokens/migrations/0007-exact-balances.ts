import type { Knex } from "knex";

/**
 * Balances that events do not determine.
 * `net_change` is the sum of the changes since the base balance, while that is unknown; once it is known, `balance` is the sum of both and `net_change` is
 * null. If both are null, the balance does not follow from events and is unknown or not read yet.
 * `node_sourced_tokens` has tokens whose balances do not follow from their events, with the difference that revealed it. Events do not change their rows: a
 * row holds the value that the contract returned after its first block, null until it is read. `refreshed_at` is the time at which all owners were last
 * read.
 * `token_checks` has the time when each ERC-20 token was last compared with its contract; its index lists the token with the oldest check first.
 * The partial indexes contain only the rows that wait for reads from the node. The number of holders is null if any balance is unknown.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE balances ADD COLUMN net_change numeric;
    ALTER TABLE balance_periods ADD COLUMN net_change numeric;
    ALTER TABLE nft_balances ADD COLUMN net_change numeric;
    ALTER TABLE nft_balance_periods ADD COLUMN net_change numeric;
    ALTER TABLE holder_counts ALTER COLUMN holders DROP NOT NULL;
    CREATE INDEX balances_without_base ON balances (chain_id, token, standard, owner) WHERE balance IS NULL AND net_change IS NOT NULL;
    CREATE INDEX nft_balances_without_base ON nft_balances (chain_id, token, standard, owner, token_id)
      WHERE balance IS NULL AND net_change IS NOT NULL;
    CREATE INDEX balances_unknown ON balances (chain_id, standard, token, since_block, owner) WHERE balance IS NULL AND net_change IS NULL;
    CREATE INDEX balance_periods_unknown ON balance_periods (chain_id, standard, token, from_block, owner) INCLUDE (to_block)
      WHERE balance IS NULL AND net_change IS NULL;
    CREATE TABLE node_sourced_tokens (
      chain_id int8 NOT NULL,
      token bytea NOT NULL,
      standard int2 NOT NULL,
      found_at_block int8 NOT NULL,
      owner bytea NOT NULL,
      events_balance numeric,
      node_balance numeric NOT NULL,
      found_at timestamptz NOT NULL,
      refreshed_at timestamptz,
      PRIMARY KEY (chain_id, token, standard)
    );
    CREATE TABLE token_checks (
      chain_id int8 NOT NULL,
      token bytea NOT NULL,
      standard int2 NOT NULL,
      checked_at_block int8,
      checked_at timestamptz,
      PRIMARY KEY (chain_id, token, standard)
    );
    CREATE INDEX token_checks_due ON token_checks (chain_id, checked_at NULLS FIRST, token);
  `);
}

export const onlyExpands = false;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE token_checks, node_sourced_tokens;
    DROP INDEX balance_periods_unknown, balances_unknown, nft_balances_without_base, balances_without_base;
    DELETE FROM holder_counts WHERE holders IS NULL;
    ALTER TABLE holder_counts ALTER COLUMN holders SET NOT NULL;
    ALTER TABLE nft_balance_periods DROP COLUMN net_change;
    ALTER TABLE nft_balances DROP COLUMN net_change;
    ALTER TABLE balance_periods DROP COLUMN net_change;
    ALTER TABLE balances DROP COLUMN net_change;
  `);
}
