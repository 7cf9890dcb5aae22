import { stdout } from "node:process";
import type { Config } from "../config/config.ts";
import { configOfDatabase, type DatabaseConfig } from "../config/database-config.ts";
import { createDatabase } from "../database/database.ts";
import { migrate } from "../database/migrate.ts";
import { migrations } from "../migrations.ts";
import { databaseNames } from "./open-chain-database.ts";
import { openDatabaseServer } from "./open-database.ts";

/** `ashlar migrate`: runs pending migrations in all databases. */
export async function migrateDatabases(config: Config): Promise<void> {
  for (const name of databaseNames(config)) await migrateDatabase(configOfDatabase(config, name));
}

async function migrateDatabase(config: DatabaseConfig): Promise<void> {
  const { url, description, stop } = await openDatabaseServer(config);
  const database = createDatabase({
    url,
    description,
    // One connection holds the lock, and one reads the progress of statements on Knex's own connection.
    poolSize: 2,
    statementTimeoutMilliseconds: 0,
    applicationName: "ashlar-migrate",
  });
  try {
    const applied = await migrate(database, migrations, { onProgress: (line) => stdout.write(`${line}\n`) });
    stdout.write(applied.length === 0 ? "The schema is up to date.\n" : `Applied migrations: ${applied.join(", ")}\n`);
  } finally {
    await database.close();
    await stop();
  }
}
