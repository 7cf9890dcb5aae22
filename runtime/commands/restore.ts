import { stdout } from "node:process";
import { type Restored, type RestoreStep, restoreBackup } from "../backup/restore-backup.ts";
import type { Config } from "../config/config.ts";
import { createDatabase, type DatabaseOptions } from "../database/database.ts";
import { forgetProtocols } from "../domains/community/install/forget-protocols.ts";
import { installationOf } from "../domains/community/install/statements.ts";
import { escapeTerminal } from "../lib/terminal-text.ts";
import { migrations } from "../migrations.ts";
import { loadProtocols } from "../protocols.ts";
import { type BackupOptions, configOfOption, defaultJobs, reportBytes } from "./backup.ts";
import { openServer } from "./open-database.ts";
import { createProgress } from "./progress.ts";
import { inScratchDatabase } from "./scratch-database.ts";

const labels: Readonly<Record<RestoreStep, string>> = {
  check: "checking files (MB)",
  restore: "restoring (MB)",
  "read back": "reading back (MB)",
};

export interface RestoreCommandOptions extends BackupOptions {
  /** Restores into a scratch database on the same server instead, reads all rows back, and drops it. */
  readonly verify?: boolean | undefined;
}

/** `ashlar restore`: restores a backup into the empty database of the configuration, or verifies that it can be restored. */
export async function restore(all: Config, folder: string, { jobs, verify = false, database }: RestoreCommandOptions): Promise<void> {
  const config = configOfOption(all, database);
  const server = await openServer(config);
  try {
    const { description } = server;
    const to = (url: DatabaseOptions["url"]): Promise<Restored> => restoreTo(config, { url, description }, { folder, jobs, verify });
    const restored = await (verify ? inScratchDatabase(server, to) : to(server.url));
    stdout.write(describe(restored));
    if (verify)
      stdout.write("Verified in a scratch database, which is dropped: all rows that were read back are equal. Nothing else was changed.\n");
  } finally {
    await server.stop();
  }
}

async function restoreTo(
  config: Config,
  server: Pick<DatabaseOptions, "url" | "description">,
  { folder, jobs = defaultJobs(), verify }: RestoreCommandOptions & { readonly folder: string },
): Promise<Restored> {
  const protocols = loadProtocols(config).protocols.map(installationOf);
  const connection = { ...server, applicationName: "ashlar-restore" };
  const database = createDatabase({ ...connection, poolSize: 1, statementTimeoutMilliseconds: 0 });
  const progress = createProgress();
  const onProgress = (step: RestoreStep, done: number, total: number): void => reportBytes(progress, labels[step], done, total);
  try {
    return await restoreBackup({
      connection,
      database,
      folder,
      jobs,
      migrations,
      protocols,
      forgetProtocols,
      onProgress,
      readsBack: verify === true,
    });
  } finally {
    progress.end();
    await database.close();
  }
}

function describe({ manifest, omittedProtocols, resumedTables }: Restored): string {
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  const resumed = resumedTables === 0 ? "" : ` (${resumedTables} tables by an earlier run)`;
  const omitted = omittedProtocols.map(
    (id) =>
      `Not restored: the tables of protocol ${escapeTerminal(id)}, which is declared differently here; indexing rebuilds them from the ledger.\n`,
  );
  return `Restored ${manifest.tables.length} tables with ${rows} rows of ${manifest.createdAt}${resumed}; all checksums are equal.\n${omitted.join("")}`;
}
