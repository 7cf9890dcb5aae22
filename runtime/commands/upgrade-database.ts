import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { stderr, stdout } from "node:process";
import { type RestoreResult, restoreBackup } from "../backup/restore-backup.ts";
import { writeBackup } from "../backup/write-backup.ts";
import type { Config } from "../config/config.ts";
import { createDatabase } from "../database/database.ts";
import { openSession } from "../database/session.ts";
import { type UpgradeServers, upgradeEmbedded } from "../database/upgrade-embedded.ts";
import { resetProtocols } from "../domains/community/install/reset-protocols.ts";
import { installationOf } from "../domains/community/install/statements.ts";
import { migrations } from "../migrations.ts";
import { loadProtocols } from "../protocols.ts";
import { defaultJobs, reportBytes } from "./backup.ts";
import { CommandError } from "./command-error.ts";
import { announceDatabase, requireDatabase } from "./configured-database.ts";
import { describeRestored, reportRestore } from "./describe-restored.ts";
import { createProgress } from "./progress.ts";

export interface UpgradeCommandOptions {
  /** The number of tables that are copied concurrently. */
  readonly jobs?: number | undefined;
  /** The directory with the old PostgreSQL version's programs. */
  readonly programs?: string | undefined;
}

/** Space for the new data and the compressed backup, as a multiple of the database size. */
const spaceFactor = 1.5;

/** `ashlar database upgrade`: upgrades the embedded database to the installed major version of PostgreSQL. @throws {CommandError} */
export async function upgradeDatabase(
  config: Config,
  version: string,
  { jobs = defaultJobs(), programs }: UpgradeCommandOptions,
): Promise<void> {
  if (config.databaseUrl !== undefined)
    throw new CommandError(
      "This command upgrades the embedded PostgreSQL, but the configuration has another database (DATABASE_URL or databaseUrl): upgrade it with its own tools, or with ashlar backup and ashlar restore.",
    );
  requireDatabase(config);
  announceDatabase(config);
  const upgraded = await upgradeEmbedded({
    dataDirectory: config.dataDirectory,
    programs,
    onWait: (message) => void stderr.write(`${message}\n`),
    copy: async (servers) => {
      await requireSpace(servers);
      stdout.write(describeRestored(await copyDatabase(config, version, servers, jobs)));
    },
  });
  if (upgraded === null) {
    stdout.write(`Nothing to upgrade: the database in ${config.dataDirectory} already has the installed version of PostgreSQL.\n`);
    return;
  }
  const { fromVersion, toVersion, keptFolder } = upgraded;
  stdout.write(
    `Upgraded from PostgreSQL ${fromVersion} to ${toVersion}; all rows that were read back match the backup. The old data is kept in ${keptFolder}: delete it when you no longer need it.\n`,
  );
}

/** Copies the database with a backup, and compares all rows with the copy. */
async function copyDatabase(
  config: Config,
  version: string,
  { oldUrl, newUrl, folder }: UpgradeServers,
  jobs: number,
): Promise<RestoreResult> {
  const progress = createProgress();
  const applicationName = "ashlar-upgrade";
  const database = createDatabase({ url: newUrl, poolSize: 3, statementTimeoutMilliseconds: 0, applicationName });
  try {
    const onProgress = (done: number, total: number): void => reportBytes(progress, "backup (MB)", done, total);
    await writeBackup({ connection: { url: oldUrl, applicationName }, folder, jobs, version, now: () => new Date(), onProgress });
    return await restoreBackup({
      connection: { url: newUrl, applicationName },
      database,
      folder,
      jobs,
      migrations,
      protocols: loadProtocols(config).protocols.map(installationOf),
      resetProtocols,
      readsBack: true,
      onProgress: reportRestore(progress),
    });
  } finally {
    progress.end();
    await database.close();
  }
}

/** @throws {CommandError} if the file system has too little space for the copy. */
async function requireSpace({ oldUrl, folder }: UpgradeServers): Promise<void> {
  const session = await openSession({ url: oldUrl, applicationName: "ashlar-upgrade" });
  try {
    const [row] = await session.query<{ size: number }>("SELECT pg_database_size(current_database())::int8 AS size");
    const required = (row?.size ?? 0) * spaceFactor;
    const { bavail, bsize } = await statfs(dirname(folder));
    const megabytes = (bytes: number): number => Math.ceil(bytes / 1e6);
    if (bavail * bsize < required)
      throw new CommandError(
        `The data directory's file system has ${megabytes(bavail * bsize)} MB free, but the upgrade needs ${megabytes(required)} MB: free some space. Nothing was changed.`,
      );
  } finally {
    await session.close();
  }
}
