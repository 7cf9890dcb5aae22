import type { Knex } from "knex";

/**
 * Balances that events do not tell.
 * `net_change` is what moved in and out since the state before the index, while that state is not known: as soon as it is, `balance` is both together and
 * `net_change` null again. Both null: the balance is not known, or not yet, and events will never tell it.
 * `node_sourced_tokens`: tokens whose balances do not follow from their events, with the difference that showed it. Events move nothing of theirs: a row
 * holds what the contract said after its first block, and null until that is asked. `refreshed_at` is when all its owners were last asked anew.
 * `token_checks`: when ERC-20 tokens were last compared with their contracts; all of them stand in it, the one not compared for longest first in its index.
 * The partial indexes find what waits for the node, and hold nothing else. The number of holders is null where balances are.
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
