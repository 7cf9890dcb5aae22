import type { Migration } from "../../../runtime/database/migration.ts";
import type { TestDatabase } from "../../support/database.ts";

/** A migration that runs SQL, and whose `down` does nothing. */
export const step = (name: string, statement: string, onlyExpands = false): Migration => ({
  name,
  onlyExpands,
  up: async (knex) => void (await knex.raw(statement)),
  down: async () => undefined,
});

/** The names of all tables and indexes, except those that record migrations. */
export async function relationsOf({ database }: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname NOT LIKE 'ashlar_migrations%' ORDER BY 1",
  );
  return rows.map(({ name }) => name);
}
