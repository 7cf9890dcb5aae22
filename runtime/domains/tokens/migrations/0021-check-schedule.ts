import type { Knex } from "knex";

/**
 * When an ERC-20 token is compared with its contract next (`due_at`), when that was last done (`looked_at`), and how long after it the next time is
 * (`wait_seconds`). `urgent_at` is set where it is to be compared ahead of the tokens that are due for longer. `checked_at` remains the last comparison of a balance or supply that was not zero: zero agrees with everything.
 * `token_requests`: tokens that requests asked for, with the last time, the last turn (`turn_at`) and the end of the last
 * round (`compared_at`) of the comparison of their holders.
 * `quiet_calls`: blocks with a call to a node-sourced token that moved nothing, and the addresses that the calls named; holders are read as of these blocks.
 * A token without any row has not been searched for such calls.
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
