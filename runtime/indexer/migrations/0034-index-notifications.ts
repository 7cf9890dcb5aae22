import type { Knex } from "knex";

/** The tables from which servers keep values in memory: heads, checkpoints, chains and the progress of prices. */
const tables = ["blocks", "bitcoin_blocks", "projection_checkpoints", "price_progress"];
/** The columns of `chains` that responses depend on; the node's head, which is updated with each block, is not among them. */
const chainColumns = "name, indexed_from, backfilled_at, missing, native_accounting";

/**
 * Each transaction that changes one of these tables notifies the channel `ashlar_index` when it commits; the payload is the name of the table. Triggers
 * notify for all writers alike: indexers, rollbacks, jobs and commands. A transaction sends at most one notification per table: PostgreSQL removes
 * duplicates.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE FUNCTION notify_index() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_notify('ashlar_index', TG_TABLE_NAME);
        RETURN NULL;
      END
    $$;
    ${tables
      .map(
        (table) =>
          `CREATE TRIGGER ${table}_notify AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION notify_index();`,
      )
      .join("\n    ")}
    CREATE TRIGGER chains_notify AFTER INSERT OR UPDATE OF ${chainColumns} OR DELETE OR TRUNCATE ON chains
      FOR EACH STATEMENT EXECUTE FUNCTION notify_index();
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  for (const table of [...tables, "chains"]) await knex.raw(`DROP TRIGGER ${table}_notify ON ${table}`);
  await knex.raw("DROP FUNCTION notify_index()");
}
