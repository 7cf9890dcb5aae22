import { stdout } from "node:process";
import { writeBackup } from "../backup/write-backup.ts";
import type { Config } from "../config/config.ts";
import { configOfDatabase, type DatabaseConfig, databaseNameOf } from "../config/database-config.ts";
import { projectionIdOf } from "../domains/community/relations.ts";
import { availableCores } from "../lib/available-cores.ts";
import { escapeTerminal } from "../lib/terminal-text.ts";
import { requireDatabase } from "./configured-database.ts";
import { parseDatabaseName, renderDatabaseName } from "./database-option.ts";
import { openDatabaseServer } from "./open-database.ts";
import { createProgress, type Progress } from "./progress.ts";

export interface BackupOptions {
  /** The number of tables that are copied concurrently. */
  readonly jobs?: number | undefined;
  /** The name of a configured database; the control database by default. */
  readonly database?: string | undefined;
  /** The name of an indexed chain, to write a snapshot of it instead of a backup. */
  readonly chain?: string | undefined;
}

/** The configuration for the database that `--database` names; the control database by default. @throws {CommandError} if it is not configured. */
export const configOfDatabaseOption = (config: Config, database: string | undefined): DatabaseConfig =>
  configOfDatabase(config, database === undefined ? null : parseDatabaseName(config, "--database", database));

/** One connection per core, as compressing takes as much time as reading; more than four would take connections from the servers. */
export const defaultJobs = (): number => Math.min(4, availableCores());

/** `ashlar backup`: writes a backup of the entire index, or a snapshot of one chain, to a folder. */
export async function backup(
  fullConfig: Config,
  folder: string,
  version: string,
  { jobs = defaultJobs(), chain: name, database }: BackupOptions,
): Promise<void> {
  const chain = fullConfig.chains.find((configured) => configured.name === name);
  const config = configOfDatabaseOption(
    fullConfig,
    database ?? (chain === undefined ? undefined : renderDatabaseName(databaseNameOf(chain))),
  );
  requireDatabase(config);
  const server = await openDatabaseServer(config);
  const progress = createProgress();
  try {
    const connection = { ...server, applicationName: "ashlar-backup" };
    const onProgress = (done: number, total: number): void => reportBytes(progress, "backup (MB)", done, total);
    const selection = name === undefined ? undefined : { name, projectionOf: projectionIdOf };
    const { tables, chain: written } = await writeBackup({
      connection,
      folder,
      jobs,
      version,
      now: () => new Date(),
      chain: selection,
      onProgress,
    });
    progress.end();
    const bytes = tables.reduce((sum, { file }) => sum + file.bytes, 0);
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    const subject =
      written === undefined ? "Backup of" : `Snapshot of ${escapeTerminal(written.name)} up to block ${written.head ?? "none"}:`;
    stdout.write(`${subject} ${tables.length} tables with ${rows} rows complete: ${megabytes(bytes)} MB in ${folder}\n`);
  } finally {
    progress.end();
    await server.stop();
  }
}

/** Reports progress in megabytes, rounded so that it is complete only with the last byte. */
export const reportBytes = (progress: Progress, task: string, done: number, total: number): void =>
  progress.report(task, done >= total ? megabytes(total) : Math.floor(done / 1e6), megabytes(total));

/** Bytes in whole megabytes, rounded up. */
const megabytes = (bytes: number): number => Math.ceil(bytes / 1e6);
