import process, { stdout } from "node:process";
import { type RestoreResult, restoreBackup } from "../backup/restore-backup.ts";
import type { Config } from "../config/config.ts";
import { databaseNameOfOnlyChain } from "../config/database-config.ts";
import { createDatabase, type Database, type DatabaseOptions } from "../database/database.ts";
import { resetProtocols } from "../domains/community/install/reset-protocols.ts";
import { installationOf } from "../domains/community/install/statements.ts";
import { migrations } from "../migrations.ts";
import { loadProtocols } from "../protocols.ts";
import { auditRestored } from "./audit-restored.ts";
import { type BackupOptions, configOfDatabaseOption, defaultJobs } from "./backup.ts";
import { describeRestored, reportRestore } from "./describe-restored.ts";
import { openDatabase, openDatabaseServer } from "./open-database.ts";
import { createProgress } from "./progress.ts";
import { type RestoreTarget, restoreSnapshot } from "./restore-snapshot.ts";
import { inScratchDatabase } from "./scratch-database.ts";

export interface RestoreCommandOptions extends BackupOptions {
  /** Restores into a scratch database on the same server instead, reads all rows back, audits it, and drops it. */
  readonly verify?: boolean | undefined;
  /** Whether to compare the verified index with its chains' nodes; true by default. */
  readonly audit?: boolean | undefined;
}

/** `ashlar restore`: restores a backup into the configured, empty database, adds a chain to a database, or verifies that this can be done. */
export async function restore(fullConfig: Config, folder: string, options: RestoreCommandOptions): Promise<void> {
  const { verify = false, audit = true, database: name } = options;
  const chainDatabase = options.chain === undefined ? undefined : (databaseNameOfOnlyChain(fullConfig) ?? undefined);
  const config = configOfDatabaseOption(fullConfig, name ?? chainDatabase);
  const server = await openDatabaseServer(config);
  try {
    const { description } = server;
    if (!verify) {
      const control = options.chain === undefined || config.databaseName === null ? undefined : await openDatabase(fullConfig);
      try {
        await restoreTo(
          config,
          { url: server.url, description },
          folder,
          { ...options, actionLog: control?.indexing },
          async () => undefined,
        );
      } finally {
        await control?.close();
      }
      return;
    }
    let isEqual = true;
    await inScratchDatabase(server, (url) =>
      restoreTo(config, { url, description }, folder, options, async (database) => {
        if (audit) isEqual = await auditRestored(config, database, (text) => void stdout.write(text));
      }),
    );
    if (!isEqual) process.exitCode = 1;
    const result = isEqual
      ? "all rows that were read back match the backup"
      : "the rows that were read back match the backup, but differ from the node";
    stdout.write(`Verified in a scratch database, which has been dropped: ${result}. Nothing else was changed.\n`);
  } finally {
    await server.stop();
  }
}

async function restoreTo(
  config: Config,
  server: Pick<DatabaseOptions, "url" | "description">,
  folder: string,
  { jobs = defaultJobs(), verify = false, chain, actionLog }: RestoreCommandOptions & Pick<RestoreTarget, "actionLog">,
  check: (database: Database) => Promise<void>,
): Promise<void> {
  const connection = { ...server, applicationName: "ashlar-restore" };
  // One connection for transactions, one for a chain's lock, and one for migration progress.
  const database = createDatabase({ ...connection, poolSize: 3, statementTimeoutMilliseconds: 0 });
  const progress = createProgress();
  const onProgress = reportRestore(progress);
  const target: RestoreTarget = { connection, database, actionLog, folder, jobs, readsBack: verify, onProgress };
  try {
    const restored = await (chain === undefined ? restoreDatabase(config, target) : restoreSnapshot(config, chain, target));
    progress.end();
    stdout.write(describeRestored(restored));
    await check(database);
  } finally {
    progress.end();
    await database.close();
  }
}

const restoreDatabase = (config: Config, target: RestoreTarget): Promise<RestoreResult> =>
  restoreBackup({ ...target, migrations, protocols: loadProtocols(config).protocols.map(installationOf), resetProtocols });
