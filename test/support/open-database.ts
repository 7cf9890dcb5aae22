import { randomBytes } from "node:crypto";
import { createDatabase, type Database } from "../../runtime/database/database.ts";
import { databaseUrl, templateName } from "./database-url.ts";

export interface TestDatabase {
  readonly url: string;
  readonly database: Database;
  /** Closes `database` and removes what it held, whoever else is connected. */
  drop(): Promise<void>;
}

/** A database of one's own on a server: migrated, or empty. */
export async function openTestDatabase(serverUrl: string, { migrated = true, poolSize = 4 } = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await onServer(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${migrated ? templateName : "template0"}`);
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
