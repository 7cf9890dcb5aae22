import type { Knex } from "knex";

const chainColumns = "name, indexed_from, backfilled_at, missing, native_accounting";
const notifyOf = (columns: string): string => `
  DROP TRIGGER chains_notify ON chains;
  CREATE TRIGGER chains_notify AFTER INSERT OR UPDATE OF ${columns} OR DELETE OR TRUNCATE ON chains
    FOR EACH STATEMENT EXECUTE FUNCTION notify_index()`;

/** Adds the time at which a chain's removal started. Servers are notified of it, because they must not serve the remaining rows (see migration 0034). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`ALTER TABLE chains ADD COLUMN removal_started_at timestamptz; ${notifyOf(`${chainColumns}, removal_started_at`)}`);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`${notifyOf(chainColumns)}; ALTER TABLE chains DROP COLUMN removal_started_at`);
}
