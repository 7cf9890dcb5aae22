import type { Database, Queryable } from "../database/database.ts";
import { migrate } from "../database/migrate.ts";
import type { Migration } from "../database/migration.ts";
import { disableTimeouts, openSession } from "../database/session.ts";
import type { Sql } from "../database/sql.ts";
import { markRestoreFinished, markRestoreStarted, markTableRestored, readUnfinishedRestore } from "../database/unfinished-restore.ts";
import { BackupError } from "./backup-error.ts";
import { checkTables, migrationsOf } from "./check-schema.ts";
import type { Manifest } from "./manifest.ts";
import { checkBackup, openBackup } from "./open-backup.ts";
import { restoreTable } from "./restore-table.ts";
import { type RestoreTablesOptions, readTablesBack, restoreTables } from "./restore-tables.ts";
import { readTables } from "./table-schema.ts";

/** A declared protocol's tables. */
export interface ProtocolTables {
  readonly id: string;
  readonly schema: string;
  readonly fingerprint: string;
  readonly statements: readonly Sql[];
}

export interface RestoreOptions extends RestoreTablesOptions {
  /** The database in which migrations run. */
  readonly database: Database;
  readonly migrations: readonly Migration[];
  /** The protocols that this program and the operator declare. */
  readonly protocols: readonly ProtocolTables[];
  /** Removes rows in other tables that belong to protocols whose tables are not restored. */
  resetProtocols(database: Pick<Queryable, "query">, ids: readonly string[]): Promise<void>;
  /** Whether to compare all rows with the backup once more, as they are read from the database. */
  readonly readsBack?: boolean;
}

export interface RestoreResult {
  readonly manifest: Manifest;
  /** Protocols that are declared differently or no longer declared: indexing rebuilds their tables. */
  readonly omittedProtocols: readonly string[];
  /** The number of tables that an earlier, killed restore had completed. */
  readonly resumedTableCount: number;
}

/** The advisory lock held by a restoring process: "restor" in ASCII. */
const lock = 0x726573746f72;

/**
 * Restores a backup into an empty database, or completes a restore of the same backup that was killed. Nothing is changed before all files are checked. Until
 * the last transaction, other commands refuse the database. @throws {BackupError}
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreResult> {
  const { connection, folder, database } = options;
  const backup = await openBackup(folder);
  const { manifest, sha256 } = backup;
  if (manifest.chain !== undefined)
    throw new BackupError(
      `The folder ${folder} has a snapshot of chain ${manifest.chain.name}: add it to the chains of a database with --chain NAME.`,
    );
  const migrations = migrationsOf(manifest, options.migrations);
  await checkBackup(options, backup);
  const session = await openSession(connection);
  try {
    await session.query("BEGIN");
    await disableTimeouts(session);
    const [row] = await session.query<{ locked: boolean }>("SELECT pg_try_advisory_xact_lock($1) AS locked", [lock]);
    if (row?.locked !== true) throw new BackupError("Another process is restoring a backup into this database.");
    const resumed = await beginRestore(database, sha256);
    await migrate(database, migrations, { isRestoring: true });
    const omitted = await createProtocols(database, manifest, options.protocols);
    const omittedTables = new Set(omitted.flatMap(({ tables }) => tables));
    checkTables(manifest, omittedTables, await readTables(database));
    const tables = manifest.tables.filter(({ name }) => !omittedTables.has(name));
    const missing = tables.filter(({ name }) => !resumed.includes(name));
    await restoreTables(options, manifest, missing, async (connected, table, fill) => {
      await restoreTable(connected, table, { ...fill, complete: (client) => markTableRestored(client, table.name) });
    });
    if (options.readsBack === true) await readTablesBack(options, tables);
    const omittedProtocols = omitted.map(({ id }) => id);
    await database.transaction(async (client) => {
      await options.resetProtocols(client, omittedProtocols);
      await markRestoreFinished(client);
    });
    return { manifest, omittedProtocols, resumedTableCount: resumed.length };
  } finally {
    await session.close();
  }
}

/** Marks an empty database, or returns the tables that are already restored. @throws {BackupError} if the database contains anything else. */
async function beginRestore(database: Database, backup: string): Promise<readonly string[]> {
  const unfinished = await readUnfinishedRestore(database);
  if (unfinished !== null) {
    if (unfinished.backup === backup) return unfinished.restored;
    throw new BackupError("The database has part of another backup: restore that one, or drop the database and create it again.");
  }
  return database.transaction(async (client) => {
    const [existing] = await client.query<{ name: string }>(
      `SELECT n.nspname || '.' || c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
         AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
       ORDER BY 1 LIMIT 1`,
    );
    if (existing !== undefined)
      throw new BackupError(
        `The database is not empty (it has ${existing.name}): restore into a new database, or an empty data directory.`,
      );
    await markRestoreStarted(client, backup);
    return [];
  });
}

/** Creates the tables of protocols whose declarations are unchanged, and returns the backup's other protocols. */
async function createProtocols(
  database: Database,
  manifest: Manifest,
  declared: readonly ProtocolTables[],
): Promise<Manifest["protocols"]> {
  const omitted: Manifest["protocols"] = [];
  for (const protocol of manifest.protocols) {
    const current = declared.find(({ id, fingerprint }) => id === protocol.id && fingerprint === protocol.fingerprint);
    if (current === undefined) omitted.push(protocol);
    else await createProtocol(database, current);
  }
  return omitted;
}

const createProtocol = (database: Database, { schema, statements }: ProtocolTables): Promise<void> =>
  database.transaction(async (client) => {
    const [existing] = await client.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
    // A killed restore may have created the schema and its tables.
    if (existing === undefined) await client.pipeline(statements);
  });
