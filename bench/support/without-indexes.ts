import type { Database } from "../../runtime/database/database.ts";
import { listIndexes } from "./tables.ts";

/** Drops all indexes, runs work, and recreates them: sorting once is faster than millions of inserts. */
export async function withoutIndexes(database: Database, work: () => Promise<void>): Promise<void> {
  const indexes = await listIndexes(database);
  for (const { table, name, constraint } of indexes) {
    await database.query(constraint === null ? `DROP INDEX "${name}"` : `ALTER TABLE "${table}" DROP CONSTRAINT "${name}"`);
  }
  await work();
  const remaining = [...indexes];
  const createRemaining = async (): Promise<void> => {
    for (let index = remaining.shift(); index !== undefined; index = remaining.shift()) {
      const { table, name, definition, constraint } = index;
      await database.query(constraint === null ? definition : `ALTER TABLE "${table}" ADD CONSTRAINT "${name}" ${constraint}`);
    }
  };
  // Two at a time, each with its own maintenance memory.
  await Promise.all([createRemaining(), createRemaining()]);
}
