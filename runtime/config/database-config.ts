import type { Config } from "./config.ts";

/** One database's configuration, as if it and its chains were the only ones. */
export interface DatabaseConfig extends Config {
  /** Its name in `databases`; null for the database of databaseUrl. */
  readonly databaseName: string | null;
}

/** The name of the database that stores a chain; null for databaseUrl. */
export const databaseNameOf = ({ database }: { readonly database?: string | undefined }): string | null => database ?? null;

/** Returns the name of the database configured for a chain; undefined for a chain that is not configured. */
export type DatabaseNameOfChain = (chain: string) => string | null | undefined;

/** Creates a function that returns the name of the database configured for a chain. */
export function createDatabaseNameOfChain({ chains }: Pick<Config, "chains">): DatabaseNameOfChain {
  const names = new Map(chains.map((chain) => [chain.name, databaseNameOf(chain)]));
  return (chain) => names.get(chain);
}

/** Whether a chain is served from a database: after a move, another database may still have its rows. */
export const isStoredIn = (database: string | null, configured: string | null | undefined): boolean =>
  configured === undefined || configured === database;

/**
 * The name of the database that stores the only configured chain, such as the one that --chain selects; null for databaseUrl, and if
 * there is not exactly one chain.
 */
export const databaseNameOfOnlyChain = ({ chains }: Config): string | null => {
  const [chain, ...others] = chains;
  return chain === undefined || others.length > 0 ? null : databaseNameOf(chain);
};

/** The configuration of the database with this name; null means the database of databaseUrl. @throws {RangeError} if there is no such database. */
export function configOfDatabase(config: Config, name: string | null): DatabaseConfig {
  const chains = config.chains.filter((chain) => databaseNameOf(chain) === name);
  if (name === null) return { ...config, chains, databases: {}, databaseName: null };
  const database = config.databases[name];
  if (database === undefined) throw new RangeError(`Database ${name} is not configured.`);
  const { url, readUrls: replicas, communityDatabaseUrl } = database;
  return { ...config, databaseUrl: url, readUrls: replicas, communityDatabaseUrl, chains, databases: {}, databaseName: name };
}
