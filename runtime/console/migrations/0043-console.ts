import type { Knex } from "knex";

/** One-time links and sessions of the console, of whose tokens only SHA-256 hashes are stored, and the address at which it last listened. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE console_sign_ins (
      token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
      actor text NOT NULL,
      expires_at timestamptz NOT NULL
    );
    CREATE TABLE console_sessions (
      id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
      previous_hash bytea UNIQUE,
      actor text NOT NULL,
      created_at timestamptz NOT NULL,
      rotated_at timestamptz NOT NULL,
      used_at timestamptz NOT NULL
    );
    CREATE TABLE console_address (
      is_last boolean PRIMARY KEY DEFAULT true CHECK (is_last),
      url text NOT NULL
    );
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP TABLE console_address, console_sessions, console_sign_ins");
}
