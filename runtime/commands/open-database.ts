import { cpus } from "node:os";
import type { Config } from "../config/config.ts";
import { createDatabase, type Database } from "../database/database.ts";
import { startEmbedded } from "../database/embedded.ts";
import { migrate } from "../database/migrate.ts";
import { migrations } from "../migrations.ts";
import { announceDatabase } from "./used-database.ts";

/** The databases of one process: statements of requests are bounded in time, those of the indexer are not. */
export interface OpenDatabase {
  readonly serving: Database;
  readonly indexing: Database;
  close(): Promise<void>;
}

/** Beside the one that each chain's leader, or who waits to be it, keeps for itself. */
const connectionsForIndexing = 4;

/** Connects to DATABASE_URL or else to the embedded server, and brings the tables up to date. */
export async function openDatabase(config: Config): Promise<OpenDatabase> {
  announceDatabase(config);
  const embedded = config.databaseUrl === undefined ? await startEmbedded({ dataDirectory: config.dataDirectory }) : null;
  const url = config.databaseUrl ?? embedded?.url ?? "";
  const serving = createDatabase({
    url,
    poolSize: Math.max(4, cpus().length * 4),
    statementTimeoutMilliseconds: config.limits.statementMilliseconds,
    applicationName: "ashlar-serve",
  });
  const indexing = createDatabase({
    url,
    poolSize: connectionsForIndexing + Math.max(1, config.chains.length),
    statementTimeoutMilliseconds: 0,
    applicationName: "ashlar-index",
  });
  const close = async (): Promise<void> => {
    await Promise.allSettled([serving.close(), indexing.close()]);
    await embedded?.stop();
  };
  try {
    await migrate(indexing, migrations);
  } catch (error) {
    await close();
    throw error;
  }
  return { serving, indexing, close };
}
