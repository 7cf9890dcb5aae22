import type { Database, DatabaseClient } from "../../database/database.ts";
import { createMutex } from "../../lib/async.ts";

/** Thrown to roll back. */
class RollBack extends Error {
  override readonly name = "RollBack";
}

/**
 * Runs work in a transaction that is always rolled back. The work uses it as a database: a failed statement does not abort the transaction, and transactions are
 * part of it.
 */
export async function rolledBack<Result>(database: Database, work: (inside: Database) => Promise<Result>): Promise<Result> {
  let result: { readonly value: Result } | undefined;
  try {
    await database.transaction(async (client) => {
      result = { value: await work(insideOf(database, client)) };
      throw new RollBack();
    });
  } catch (error) {
    if (result === undefined) throw error;
  }
  if (result === undefined) throw new RollBack();
  return result.value;
}

const insideOf = (database: Database, client: DatabaseClient): Database => {
  const exclusively = createMutex();
  const guarded = <T>(statement: () => Promise<T>): Promise<T> =>
    exclusively(async () => {
      await client.query("SAVEPOINT statement");
      try {
        const value = await statement();
        await client.query("RELEASE statement");
        return value;
      } catch (error) {
        await client.query("ROLLBACK TO statement");
        throw error;
      }
    });
  return {
    knex: database.knex,
    query: (sql, parameters) => guarded(() => client.query(sql, parameters)),
    run: (statement) => guarded(() => client.run(statement)),
    transaction: (work) => guarded(() => work(client)),
    close: async () => undefined,
  };
};
