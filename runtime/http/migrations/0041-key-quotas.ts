import type { Knex } from "knex";

/**
 * Quotas of keys per UTC day and month, the time after which a key is refused, and the chains, origins and addresses that a key is limited to,
 * by name of the rule. A lease reserves credits of a key's quotas for one server.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE api_keys
      ADD COLUMN day_quota_hundredths int8 CHECK (day_quota_hundredths >= 0),
      ADD COLUMN month_quota_hundredths int8 CHECK (month_quota_hundredths >= 0),
      ADD COLUMN expires_at timestamptz,
      ADD COLUMN access jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(access) = 'object');
    CREATE TABLE credit_leases (
      key_id int8 NOT NULL,
      holder uuid NOT NULL,
      hundredths int8 NOT NULL CHECK (hundredths >= 0),
      expires_at timestamptz NOT NULL,
      PRIMARY KEY (key_id, holder)
    );
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE credit_leases;
    ALTER TABLE api_keys
      DROP COLUMN day_quota_hundredths, DROP COLUMN month_quota_hundredths, DROP COLUMN expires_at, DROP COLUMN access;
  `);
}
