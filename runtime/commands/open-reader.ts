import process from "node:process";
import type { Config } from "../config/config.ts";
import type { DatabaseConfig } from "../config/database-config.ts";
import type { Database, DatabaseOptions } from "../database/database.ts";
import { isSameDatabase, readerPrivilegeProblem } from "../database/reader/reader-privileges.ts";
import { ReaderRoleError, readerRoleError, setUpReaderRole } from "../database/reader/reader-role.ts";
import { withAccount } from "../database/with-account.ts";
import { readerPool } from "./pools.ts";

/** The connections of the role that runs declared protocols' SQL. */
export interface OpenReader {
  readonly reader: Database;
  /** The role, to which installed protocols grant their schemas. */
  readonly readerRole: string;
  /** The URL of `reader`; it contains a secret. */
  readonly readerUrl: () => string;
}

/** Error codes of logins rejected by the server or a pooler in front of it (PostgreSQL, appendix A; pgbouncer: 08P01). */
const rejectedLogin = ["28P01", "28000", "08P01"];

/**
 * Connects as the reader role: the role of communityDatabaseUrl, or else the one that Ashlar sets up in `database`. Its privileges are checked in either
 * case. @throws {ReaderRoleError}
 */
export async function openReader(
  config: Config | DatabaseConfig,
  server: Pick<DatabaseOptions, "url" | "description">,
  database: Database,
  poolSize: number,
): Promise<OpenReader> {
  const { communityDatabaseUrl: url } = config;
  if (url !== undefined) return openConfigured(config, url, database, poolSize);
  const isOwnServer = config.databaseUrl === undefined;
  for (const mustResetPassword of [false, true]) {
    const account = await setUpReaderRole(database, { isOwnServer, mustResetPassword });
    // A restarted embedded server may have another port.
    const current = (): string => withAccount(typeof server.url === "string" ? server.url : server.url(), account);
    const reader = readerPool(config, { ...server, url: current }, poolSize);
    try {
      const problem = await readerPrivilegeProblem(reader);
      if (problem !== null) throw await readerRoleError(database, problem);
      return { reader, readerRole: account.user, readerUrl: current };
    } catch (error) {
      await reader.close();
      if (!rejectedLogin.includes(String((error as { code?: unknown }).code))) throw error;
    }
  }
  throw await readerRoleError(database, "the server rejects its login");
}

async function openConfigured(config: Config | DatabaseConfig, url: string, database: Database, poolSize: number): Promise<OpenReader> {
  const setting = settingOf(config, url);
  const details = `check ${setting}${setting === "communityDatabaseUrl" ? " in the configuration" : ""}`;
  const reader = readerPool(config, { url, description: { name: "The database of community endpoints", details } }, poolSize);
  try {
    const problem =
      (await readerPrivilegeProblem(reader)) ?? ((await isSameDatabase(reader, database)) ? null : "it refers to another database");
    if (problem !== null) throw new ReaderRoleError(`Invalid ${setting}: ${problem}.`);
    const [row] = await reader.query<{ role: string }>("SELECT current_user AS role");
    return { reader, readerRole: row?.role ?? "", readerUrl: () => url };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

/** The setting that the URL for the role was read from. */
function settingOf(config: Config | DatabaseConfig, url: string): string {
  if ("databaseName" in config && config.databaseName !== null) return `databases.${config.databaseName}.communityDatabaseUrl`;
  return url === process.env.COMMUNITY_DATABASE_URL ? "COMMUNITY_DATABASE_URL" : "communityDatabaseUrl";
}
