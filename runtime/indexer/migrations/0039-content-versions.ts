import type { Knex } from "knex";

/** Tables that are written outside of the transactions of the indexing loop, or whose rows show what such a transaction changed. */
const tables = ["projection_checkpoints", "token_metadata", "nft_metadata", "price_settings"];

/**
 * The content version of a chain increases with each transaction that changes what responses contain: with every batch and rollback, which move checkpoints,
 * and with values that jobs and commands write without a new block. Work between two batches calls `content_changed` itself (see `createRunExclusive`).
 *
 * A chain's version is the sum over its rows. A transaction increases a row that no other transaction has locked, or adds one, so that concurrent writers
 * neither wait for each other nor deadlock. The sum that a snapshot contains increases with each commit.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE content_versions (
      chain_id int8 NOT NULL,
      slot int8 GENERATED ALWAYS AS IDENTITY,
      version int8 NOT NULL,
      changed_at timestamptz NOT NULL,
      PRIMARY KEY (chain_id, slot)
    ) WITH (fillfactor = 50);

    CREATE FUNCTION content_changed(chain int8) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        flag text := 'ashlar.content_changed_' || chain;
        unlocked int8;
      BEGIN
        -- Once in a transaction: the setting is lost at its end.
        IF current_setting(flag, true) = 'on' THEN RETURN; END IF;
        PERFORM set_config(flag, 'on', true);
        SELECT slot INTO unlocked FROM content_versions WHERE chain_id = chain ORDER BY slot LIMIT 1 FOR UPDATE SKIP LOCKED;
        IF unlocked IS NULL THEN INSERT INTO content_versions (chain_id, version, changed_at) VALUES (chain, 1, clock_timestamp());
        ELSE UPDATE content_versions SET version = version + 1, changed_at = clock_timestamp() WHERE chain_id = chain AND slot = unlocked;
        END IF;
      END
    $$;
    CREATE FUNCTION content_row_changed() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM content_changed(CASE TG_OP WHEN 'DELETE' THEN OLD.chain_id ELSE NEW.chain_id END);
        RETURN NULL;
      END
    $$;
    ${tables
      .map(
        (table) =>
          `CREATE TRIGGER ${table}_content AFTER INSERT OR UPDATE OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION content_row_changed();`,
      )
      .join("\n    ")}
    CREATE TRIGGER chains_content AFTER UPDATE ON chains FOR EACH ROW WHEN (
        (OLD.name, OLD.indexed_from, OLD.backfilled_at, OLD.missing, OLD.native_accounting)
          IS DISTINCT FROM (NEW.name, NEW.indexed_from, NEW.backfilled_at, NEW.missing, NEW.native_accounting))
      EXECUTE FUNCTION content_row_changed();
    CREATE TRIGGER nft_reads_content AFTER UPDATE ON nft_reads FOR EACH ROW WHEN (OLD.problem IS DISTINCT FROM NEW.problem)
      EXECUTE FUNCTION content_row_changed();
    CREATE TRIGGER content_versions_notify AFTER INSERT OR UPDATE OR DELETE ON content_versions FOR EACH STATEMENT EXECUTE FUNCTION notify_index();
    INSERT INTO content_versions (chain_id, version, changed_at) SELECT chain_id, 1, clock_timestamp() FROM chains;
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  for (const table of [...tables, "chains", "nft_reads"]) await knex.raw(`DROP TRIGGER ${table}_content ON ${table}`);
  await knex.raw("DROP FUNCTION content_row_changed(); DROP FUNCTION content_changed(int8); DROP TABLE content_versions");
}
