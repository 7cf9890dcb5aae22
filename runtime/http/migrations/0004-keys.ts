import type { Knex } from "knex";

/** API keys (as SHA-256 hashes), their usage, and the page anchors. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE api_keys (
      id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      hash bytea NOT NULL UNIQUE,
      label text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      revoked_at timestamptz,
      credit_limit_hundredths int8,
      CHECK (octet_length(hash) = 32)
    );
    CREATE TABLE credit_usage (
      key_id int8 NOT NULL,
      day date NOT NULL,
      operation text NOT NULL,
      calls int8 NOT NULL,
      hundredths int8 NOT NULL,
      PRIMARY KEY (key_id, day, operation)
    );
    CREATE TABLE page_anchors (
      fingerprint bytea PRIMARY KEY,
      chain_id int8 NOT NULL,
      block_number int8 NOT NULL,
      expires_at timestamptz NOT NULL
    );
    CREATE INDEX page_anchors_expiry ON page_anchors (expires_at);
    CREATE INDEX page_anchors_block ON page_anchors (chain_id, block_number);
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw("DROP TABLE page_anchors, credit_usage, api_keys");
}
