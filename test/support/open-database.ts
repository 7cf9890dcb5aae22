import { randomBytes } from "node:crypto";
import { createDatabase, type Database } from "../../runtime/database/database.ts";
import { databaseUrl, templateName } from "./database-url.ts";

export interface TestDatabase {
  readonly url: string;
  readonly database: Database;
  /** Closes `database` and drops it, closing all other connections to it. */
  drop(): Promise<void>;
}

/** Creates a database on a server: a copy of the migrated template, or an empty one. */
export async function openTestDatabase(serverUrl: string, { migrated = true, poolSize = 4 } = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await onServer(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${migrated ? templateName : "template0"} STRATEGY FILE_COPY`);
  const url = databaseUrl(serverUrl, name);
  const database = createDatabase({ url, poolSize, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test" });
  return {
    url,
    database,
    drop: async () => {
      await database.close();
      await onServer(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

async function onServer(url: string, statement: string): Promise<void> {
  const server = createDatabase({ url, poolSize: 1, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test" });
  try {
    await server.query(statement);
  } finally {
    await server.close();
  }
}
