import type { Knex } from "knex";

/** Changes of prices notify servers, which keep them in memory (see migration 0034). */
export async function up(knex: Knex): Promise<void> {
  for (const table of tables)
    await knex.raw(
      `CREATE TRIGGER ${table}_notify AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION notify_index()`,
    );
}

export const onlyExpands = true;

const tables = ["price_hours", "price_days"];

export async function down(knex: Knex): Promise<void> {
  for (const table of tables) await knex.raw(`DROP TRIGGER ${table}_notify ON ${table}`);
}
