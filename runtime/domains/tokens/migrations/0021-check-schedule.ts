import type { Knex } from "knex";

/**
 * The times of the next comparison of an ERC-20 token with its contract (`due_at`) and of the previous one (`looked_at`), and the wait between them
 * (`wait_seconds`). `urgent_at` is set if the token is to be compared ahead of tokens that have been due for longer. `checked_at` remains the last
 * comparison of a nonzero balance or supply: a zero matches any contract.
 * `token_requests` has the tokens that clients requested, with the time of the last request, the last turn (`turn_at`) and the end of the last round
 * (`compared_at`) of the comparison of their holders.
 * `quiet_calls` has blocks with a call to a node-sourced token that emitted no transfer, and the addresses in the arguments of these calls; the holders are
 * read as of these blocks. A token without any row has not been searched for such calls.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX token_checks_due;
    ALTER TABLE token_checks
      ADD COLUMN due_at timestamptz NOT NULL DEFAULT '-infinity',
      ADD COLUMN urgent_at timestamptz,
      ADD COLUMN looked_at timestamptz,
      ADD COLUMN wait_seconds int4 NOT NULL DEFAULT 0;
    CREATE INDEX token_checks_due ON token_checks (chain_id, due_at, token);
    CREATE INDEX token_checks_urgent ON token_checks (chain_id, urgent_at, token) WHERE urgent_at IS NOT NULL;
    CREATE TABLE token_requests (
      chain_id int8 NOT NULL,
      token bytea NOT NULL,
      asked_at timestamptz NOT NULL,
      turn_at timestamptz,
      compared_at timestamptz,
      PRIMARY KEY (chain_id, token)
    );
    CREATE INDEX token_requests_due ON token_requests (chain_id, turn_at NULLS FIRST, token);
    CREATE TABLE quiet_calls (
      chain_id int8 NOT NULL,
      token bytea NOT NULL,
      block_number int8 NOT NULL,
      owners bytea[] NOT NULL,
      is_read boolean NOT NULL,
      PRIMARY KEY (chain_id, token, block_number)
    );
    CREATE INDEX quiet_calls_unread ON quiet_calls (chain_id, token, block_number DESC) WHERE NOT is_read;
    CREATE INDEX quiet_calls_roll_back ON quiet_calls (chain_id, block_number);
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE quiet_calls, token_requests;
    DROP INDEX token_checks_urgent, token_checks_due;
    ALTER TABLE token_checks DROP COLUMN urgent_at, DROP COLUMN wait_seconds, DROP COLUMN looked_at, DROP COLUMN due_at;
    CREATE INDEX token_checks_due ON token_checks (chain_id, checked_at NULLS FIRST, token);
  `);
}
