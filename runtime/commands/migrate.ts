import { stdout } from "node:process";
import type { Config } from "../config/config.ts";
import { createDatabase } from "../database/database.ts";
import { startEmbedded } from "../database/embedded.ts";
import { migrate } from "../database/migrate.ts";
import { migrations } from "../migrations.ts";
import { announceDatabase } from "./used-database.ts";

/** `ashlar migrate`: brings the database's tables up to date. */
export async function migrateDatabase(config: Config): Promise<void> {
  announceDatabase(config);
  const embedded = config.databaseUrl === undefined ? await startEmbedded({ dataDirectory: config.dataDirectory }) : null;
  const database = createDatabase({
    url: config.databaseUrl ?? embedded?.url ?? "",
    poolSize: 1,
    statementTimeoutMilliseconds: 0,
    applicationName: "ashlar-migrate",
  });
  try {
    const landed = await migrate(database, migrations);
    stdout.write(landed.length === 0 ? "The tables are up to date.\n" : `Done: ${landed.join(", ")}\n`);
  } finally {
    await database.close();
    await embedded?.stop();
  }
}
