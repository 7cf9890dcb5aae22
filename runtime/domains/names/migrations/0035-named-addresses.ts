import type { Knex } from "knex";

/**
 * `name_records_address` finds the addresses to which some name resolves. Only these can have a primary name, so the reverse nodes (EIP-181) of other
 * addresses need not be computed. Changes to names, token metadata, standards and pools notify servers, which cache them (see migration 0034).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("CREATE INDEX name_records_address ON name_records (chain_id, value) WHERE record = 2 AND value IS NOT NULL");
  for (const table of tables)
    await knex.raw(
      `CREATE TRIGGER ${table}_notify AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION notify_index()`,
    );
}

export const onlyExpands = true;

const tables = ["name_records", "token_metadata", "token_standards", "pools"];

export async function down(knex: Knex): Promise<void> {
  for (const table of tables) await knex.raw(`DROP TRIGGER ${table}_notify ON ${table}`);
  await knex.raw("DROP INDEX name_records_address");
}
