import type { Database, Queryable } from "../database/database.ts";
import type { Migration } from "../database/migration.ts";
import { BackupError } from "./backup-error.ts";
import { beginChainRestore } from "./begin-chain-restore.ts";
import { tablesOfChains } from "./chain-tables.ts";
import { checkTables } from "./check-schema.ts";
import { completeChainRestore, lastTables } from "./complete-chain-restore.ts";
import type { Manifest, SnapshotManifest } from "./manifest.ts";
import { checkBackup, openBackup } from "./open-backup.ts";
import { restoreChainTable, restoreOnlyChainTable } from "./restore-chain-table.ts";
import { type RestoreTablesOptions, readTablesBack, restoreTables } from "./restore-tables.ts";
import { prepareSchema } from "./snapshot-schema.ts";
import { readTables } from "./table-schema.ts";

/** The configured chain. */
export interface ExpectedChain {
  readonly name: string;
  /** Null if neither the configuration nor a node provides it. */
  readonly id: number | null;
  /** The hash that its node reports; null if there is no node. */
  readonly genesisHash: string | null;
}

export interface RestoreChainOptions extends RestoreTablesOptions {
  readonly database: Database;
  readonly migrations: readonly Migration[];
  readonly chain: ExpectedChain;
  /** Verifies in each transaction that this process still has the chain's lock. */
  guard(client: Pick<Queryable, "query">): Promise<void>;
  /** Creates a declared protocol's tables unless they exist; false if it is declared differently here. */
  installProtocol(protocol: Manifest["protocols"][number]): Promise<boolean>;
  /** Removes one chain's rows in other tables that belong to protocols whose tables are not restored. */
  resetProtocols(client: Pick<Queryable, "query">, ids: readonly string[], chainId: number): Promise<void>;
  /** Called in the last transaction. */
  onRestored(client: Pick<Queryable, "query">): Promise<void>;
  /** Whether to compare all rows with the snapshot once more, which is possible if the database has no other chain. */
  readonly readsBack?: boolean;
}

export interface ChainRestoreResult {
  readonly manifest: SnapshotManifest;
  /** Protocols that are declared differently or no longer declared: indexing rebuilds their tables. */
  readonly omittedProtocols: readonly string[];
  /** The number of tables that an earlier, killed restore had completed. */
  readonly resumedTableCount: number;
}

/** Reads a snapshot's manifest, and compares its chain with the configured one. @throws {BackupError} */
export async function readSnapshotManifest(folder: string, { name, id, genesisHash }: ExpectedChain) {
  const read = await openBackup(folder);
  const { chain } = read.manifest;
  if (chain === undefined)
    throw new BackupError(`The folder ${folder} has a backup of an entire index: restore it without --chain, into an empty database.`);
  if (id !== null && id !== chain.id)
    throw new BackupError(
      `The snapshot is of chain ${chain.id} (${chain.name}), but ${name} is configured as chain ${id}: use a snapshot of ${name}.`,
    );
  if (genesisHash !== null && genesisHash !== chain.genesisHash)
    throw new BackupError(
      `The genesis block of the snapshot is ${chain.genesisHash}, but the node of ${name} reports ${genesisHash}: use a snapshot of that chain.`,
    );
  return { ...read, manifest: { ...read.manifest, chain } };
}

/**
 * Adds a snapshot's chain to a database with or without other chains, or completes a killed restore of the same snapshot. Until the last
 * transaction the chain is paused and has no blocks, so that it is neither indexed nor served. The caller has the chain's indexer lock.
 * @throws {BackupError}
 */
export async function restoreChain(options: RestoreChainOptions): Promise<ChainRestoreResult> {
  const { database, chain, guard } = options;
  const snapshot = await readSnapshotManifest(options.folder, chain);
  const { manifest } = snapshot;
  const { id: chainId } = manifest.chain;
  await checkBackup(options, snapshot);
  await prepareSchema(database, manifest, options.migrations);
  const resumed = await beginChainRestore(database, snapshot, chain.name, guard);
  const omitted = await protocolsToOmit(options, manifest);
  const omittedTables = new Set(omitted.flatMap(({ tables }) => tables));
  checkTables(manifest, omittedTables, await expectedTables(database, manifest));
  const tables = manifest.tables.filter(({ name }) => !omittedTables.has(name) && !lastTables.includes(name));
  const missing = tables.filter(({ name }) => !resumed.includes(name));
  // Tables without rows of other chains can be locked: no request and no other indexer waits for them.
  const isOnly = (await database.query("SELECT 1 FROM chains WHERE chain_id <> $1 LIMIT 1", [chainId])).length === 0;
  await restoreTables(options, manifest, missing, async (session, table, fill) => {
    const chainOptions = { ...fill, chainId, guard };
    if (!isOnly || !(await restoreOnlyChainTable(session, table, chainOptions))) await restoreChainTable(session, table, chainOptions);
  });
  if (options.readsBack === true) await readTablesBack(options, tables);
  const omittedProtocols = omitted.map(({ id }) => id);
  const finish = async (session: Pick<Queryable, "query">): Promise<void> => {
    await options.resetProtocols(session, omittedProtocols, chainId);
    await options.onRestored(session);
  };
  await completeChainRestore({ ...options, finish }, manifest);
  if (options.readsBack === true)
    await readTablesBack(
      options,
      manifest.tables.filter(({ name }) => name !== "chains" && lastTables.includes(name)),
    );
  return { manifest, omittedProtocols, resumedTableCount: resumed.length };
}

async function protocolsToOmit({ installProtocol }: RestoreChainOptions, { protocols }: Manifest): Promise<Manifest["protocols"]> {
  const omitted: Manifest["protocols"] = [];
  for (const protocol of protocols) if (!(await installProtocol(protocol))) omitted.push(protocol);
  return omitted;
}

/** The tables that a snapshot of this schema has: all except those of protocols that are not indexed on its chain. */
async function expectedTables(database: Database, manifest: Manifest) {
  const installed = await database.query<{ tables: string[] }>("SELECT tables FROM community_protocols");
  const protocolTables = new Set(installed.flatMap(({ tables }) => tables));
  const inSnapshot = new Set(manifest.tables.map(({ name }) => name));
  return tablesOfChains(await readTables(database)).filter(({ name }) => !protocolTables.has(name) || inSnapshot.has(name));
}
