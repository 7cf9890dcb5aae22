import type { Database } from "../../runtime/database/database.ts";
import { listIndexes } from "./tables.ts";

/** Runs work while no table has an index, and makes them all again: sorting once is sooner done than inserting millions of times. */
export async function withoutIndexes(database: Database, work: () => Promise<void>): Promise<void> {
  const indexes = await listIndexes(database);
  for (const { table, name, constraint } of indexes) {
    await database.query(constraint === null ? `DROP INDEX "${name}"` : `ALTER TABLE "${table}" DROP CONSTRAINT "${name}"`);
  }
  await work();
  const waiting = [...indexes];
  const make = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { table, name, definition, constraint } = next;
      await database.query(constraint === null ? definition : `ALTER TABLE "${table}" ADD CONSTRAINT "${name}" ${constraint}`);
    }
  };
  // Two at a time: each sorts in memory of its own.
  await Promise.all([make(), make()]);
}
