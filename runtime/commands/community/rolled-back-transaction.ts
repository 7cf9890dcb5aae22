import type { Database, DatabaseClient } from "../../database/database.ts";
import { createReaderRunner } from "../../database/reader/reader-runner.ts";
import { createMutex } from "../../lib/async.ts";

/** Thrown after the work, so that its transaction is rolled back. */
class RollBack extends Error {
  override readonly name = "RollBack";
}

/** A transaction that is used as a database: a failed statement does not abort it, and nested transactions run in it. */
export interface RolledBackTransaction extends Database {
  /** The same transaction, for statements with the reader role's privileges and limits; null if the database user may not become that role. */
  asReader(role: string, statementMilliseconds: number): Promise<Database | null>;
}

/** Connections to the tested protocol's tables. */
export interface TestConnections {
  readonly rolledBackTransaction: RolledBackTransaction;
  /** Runs the protocol's SQL. */
  readonly reader: Database;
}

/** Runs work in a transaction that is always rolled back. */
export async function inRolledBackTransaction<Result>(
  database: Database,
  work: (transaction: RolledBackTransaction) => Promise<Result>,
): Promise<Result> {
  let result: { readonly value: Result } | undefined;
  try {
    await database.transaction(async (client) => {
      result = { value: await work(rolledBackTransactionOf(database, client)) };
      throw new RollBack();
    });
  } catch (error) {
    if (result === undefined) throw error;
  }
  if (result === undefined) throw new RollBack();
  return result.value;
}

const rolledBackTransactionOf = (database: Database, client: DatabaseClient): RolledBackTransaction => {
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
  const transaction: Database = {
    poolSize: 1,
    knex: database.knex,
    query: (sql, parameters) => guarded(() => client.query(sql, parameters)),
    run: (statement) => guarded(() => client.run(statement)),
    transaction: (work) => guarded(() => work(client)),
    abandonConnections: () => database.abandonConnections(),
    usage: database.usage,
    close: async () => undefined,
  };
  return {
    ...transaction,
    asReader: async (role, milliseconds) => {
      const reading = await exclusively(() => createReaderRunner(client, role, milliseconds));
      if (reading === null) return null;
      return {
        ...transaction,
        query: (sql, parameters) => exclusively(() => reading(() => client.query(sql, parameters))),
        run: (statement) => exclusively(() => reading(() => client.run(statement))),
        transaction: (work) => exclusively(() => reading(() => work(client))),
      };
    },
  };
};
