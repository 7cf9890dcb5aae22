import { cwd, stderr } from "node:process";
import type { Config } from "../config/config.ts";
import type { DatabaseConfig } from "../config/database-config.ts";
import { hasCluster } from "../database/embedded/paths.ts";
import { serversOf } from "../database/hosts/servers-of.ts";
import { CommandError } from "./command-error.ts";
import { prepareDataDirectory } from "./data-directory.ts";

/** Prints to standard error which database is used, and prepares the data directory. @throws {CommandError} */
export function announceDatabase(config: Config | DatabaseConfig): void {
  if (config.databaseUrl === undefined) prepareDataDirectory(config.dataDirectory);
  const name = "databaseName" in config && config.databaseName !== null ? ` ${config.databaseName}` : "";
  stderr.write(`Database${name}: ${describeDatabase(config)}\n`);
}

/** Describes a configuration's database without its password. */
function describeDatabase({ databaseUrl, dataDirectory }: Config): string {
  if (databaseUrl === undefined) return `embedded PostgreSQL in ${dataDirectory}`;
  const urls = serversOf(databaseUrl).urls.map((server) => (URL.canParse(server) ? new URL(server) : null));
  const [url] = urls;
  // Other formats, such as a socket path, may contain a password anywhere, as may a URL whose password has an unescaped "/", "?" or "#".
  if (
    url === undefined ||
    url === null ||
    urls.some((server) => server === null || server.hostname === "") ||
    !/^(\/[^/@]*)?$/.test(url.pathname) ||
    `${url.search}${url.hash}`.includes("@")
  )
    return "PostgreSQL (address from DATABASE_URL or databaseUrl)";
  const user = url.username === "" ? "" : ` as ${url.username}`;
  return `PostgreSQL at ${urls.map((server) => server?.host).join(", ")}, database ${url.pathname.slice(1) || "of that user"}${user}`;
}

/** Rejects a command that needs an existing index if there is no database: a new one would be empty. @throws {CommandError} */
export function requireDatabase({ databaseUrl, dataDirectory }: Config): void {
  if (databaseUrl !== undefined || hasCluster(dataDirectory)) return;
  throw new CommandError(
    `No database found in ${dataDirectory}. Searched for ashlar.yaml and .ashlar in ${cwd()} and the folders above it. ` +
      "Run this command in the folder where ashlar start runs, or set ASHLAR_DATA_DIR or DATABASE_URL; ashlar start and ashlar migrate create a database.",
  );
}
