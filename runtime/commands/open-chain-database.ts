import type { Config } from "../config/config.ts";
import { configOfDatabase, type DatabaseConfig, databaseNameOf } from "../config/database-config.ts";
import type { Database } from "../database/database.ts";
import { createLedgerQueries } from "../domains/ledger/queries/index.ts";
import type { IndexedChain } from "../operator/indexed-chain.ts";
import { CommandError } from "./command-error.ts";
import { type OpenDatabase, openDatabase } from "./open-database.ts";

/** A chain's database. */
export interface ChainDatabase {
  readonly indexing: Database;
  /** For short reads: its statements have a timeout. */
  readonly shortReads: Database;
  /** The control database, if it is a different one. */
  readonly actionLog: Database | undefined;
  close(): Promise<void>;
}

/** Opens the control database and, unless the name is null, the database with that name. */
export async function openChainDatabase(config: Config, name: string | null): Promise<ChainDatabase> {
  const control = await openDatabase(config);
  if (name === null) return { indexing: control.indexing, shortReads: control.control, actionLog: undefined, close: control.close };
  try {
    const shard = await openDatabase(configOfDatabase(config, name));
    const close = async (): Promise<void> => {
      await Promise.all([control.close(), shard.close()]);
    };
    return { indexing: shard.indexing, shortReads: shard.control, actionLog: control.indexing, close };
  } catch (error) {
    await control.close();
    throw error;
  }
}

/** The names of all databases; null for the control database. */
export const databaseNames = ({ databases }: Pick<Config, "databases">): readonly (string | null)[] => [null, ...Object.keys(databases)];

/** The names of the databases that store configured chains. */
export const chainDatabaseNames = ({ chains }: Pick<Config, "chains">): readonly (string | null)[] => [
  ...new Set(chains.map(databaseNameOf)),
];

/** Runs work with each of the databases, one after the other. */
export async function withEachDatabase(
  config: Config,
  names: readonly (string | null)[],
  work: (database: OpenDatabase, config: DatabaseConfig) => Promise<void>,
): Promise<void> {
  for (const name of names) {
    const databaseConfig = configOfDatabase(config, name);
    const database = await openDatabase(databaseConfig);
    try {
      await work(database, databaseConfig);
    } finally {
      await database.close();
    }
  }
}

/** An indexed chain, and the name of its database; null for the control database. */
interface FoundChain extends IndexedChain {
  readonly database: string | null;
}

/**
 * Runs work with an indexed chain, which need not be configured, in the given database or else the first one that contains it. @throws {CommandError} if no
 * chain has this name.
 */
export async function withIndexedChain(
  config: Config,
  name: string,
  work: (database: Database, chain: FoundChain) => Promise<void>,
  databaseName?: string | null,
): Promise<void> {
  const configured = config.chains.find((chain) => chain.name === name);
  // The configured database first: another one may have rows from an earlier configuration.
  const first = configured === undefined ? null : databaseNameOf(configured);
  const candidates =
    databaseName === undefined ? [first, ...databaseNames(config).filter((candidate) => candidate !== first)] : [databaseName];
  const indexed: string[] = [];
  for (const candidate of candidates) {
    const opened = await openChainDatabase(config, candidate);
    try {
      const chains = await createLedgerQueries(opened.indexing).chains();
      const chain = chains.find((row) => row.name === name);
      if (chain !== undefined)
        return await work(opened.indexing, { id: chain.chain_id, name, actionLog: opened.actionLog, database: candidate });
      indexed.push(...chains.map((row) => row.name));
    } finally {
      await opened.close();
    }
  }
  throw new CommandError(`Invalid value "${name}" for the chain: expected an indexed chain (${indexed.join(", ") || "there is none"}).`);
}
