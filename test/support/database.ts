import { inject } from "vitest";
import { openTestDatabase, type TestDatabase } from "./open-database.ts";

export type { TestDatabase } from "./open-database.ts";

/** Creates a database on the run's server, migrated or empty: `beforeAll(async () => { test = await createTestDatabase(); return test.drop; })`. */
export const createTestDatabase = (options: { readonly migrated?: boolean; readonly poolSize?: number } = {}): Promise<TestDatabase> =>
  openTestDatabase(inject("serverUrl"), options);
