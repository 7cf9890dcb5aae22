import type { Knex } from "knex";

/** Triggers that count rows in other tables (migration 0017). A snapshot of a chain contains their counts. */
const countingTriggers = [
  ["nft_attributes", "INSERT", "NEW TABLE AS added"],
  ["nft_metadata", "INSERT", "NEW TABLE AS added"],
] as const;

/**
 * Chains that are being restored from a snapshot: `backup` is the SHA-256 of its manifest, and `restored` has the tables that are complete. The setting
 * `ashlar.restores_counts` keeps the counting triggers from counting rows whose counts are restored, too; disabling them would block writes of other chains.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE chain_restores (
      chain_id int8 PRIMARY KEY,
      backup text NOT NULL,
      restored text[] NOT NULL DEFAULT '{}',
      started_at timestamptz NOT NULL DEFAULT now()
    );
    ${countingTriggers
      .map(([table, event, rows]) =>
        trigger(table, event, rows, "WHEN (current_setting('ashlar.restores_counts', true) IS DISTINCT FROM 'on')"),
      )
      .join(";\n    ")}
  `);
}

export const onlyExpands = true;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    `${countingTriggers.map(([table, event, rows]) => trigger(table, event, rows, "")).join("; ")}; DROP TABLE chain_restores`,
  );
}

const trigger = (table: string, event: string, rows: string, condition: string): string => {
  const name = `${table}_after_${event.toLowerCase()}`;
  return `CREATE OR REPLACE TRIGGER ${name} AFTER ${event} ON ${table} REFERENCING ${rows} FOR EACH STATEMENT ${condition} EXECUTE FUNCTION ${name}()`;
};
