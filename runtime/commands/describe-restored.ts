import type { RestoreResult } from "../backup/restore-backup.ts";
import type { RestoreStep } from "../backup/restore-tables.ts";
import { escapeTerminal } from "../lib/terminal-text.ts";
import { reportBytes } from "./backup.ts";
import type { Progress } from "./progress.ts";

const labels: Readonly<Record<RestoreStep, string>> = {
  check: "checking files (MB)",
  restore: "restoring (MB)",
  "read back": "reading back (MB)",
};

/** Reports a restore's progress. */
export const reportRestore =
  (progress: Progress) =>
  (step: RestoreStep, done: number, total: number): void =>
    reportBytes(progress, labels[step], done, total);

/** Describes what was restored, and what was omitted. */
export function describeRestored({ manifest, omittedProtocols, resumedTableCount }: RestoreResult): string {
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  const resumed = resumedTableCount === 0 ? "" : ` (${resumedTableCount} tables by an earlier run)`;
  const chain =
    manifest.chain === undefined ? "" : `, chain ${escapeTerminal(manifest.chain.name)} up to block ${manifest.chain.head ?? "none"}`;
  const omitted = omittedProtocols.map(
    (id) =>
      `Not restored: the tables of protocol ${escapeTerminal(id)}, which is declared differently here; indexing rebuilds them from the ledger.\n`,
  );
  return `Restored ${manifest.tables.length} tables with ${rows} rows from the backup of ${manifest.createdAt}${chain}${resumed}; all checksums match.\n${omitted.join("")}`;
}
