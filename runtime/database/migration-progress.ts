import type { Database } from "./database.ts";

const defaultMilliseconds = 5_000;

/** Receives lines about a long-running migration, for an operator. */
export interface ProgressOptions {
  readonly onProgress?: (line: string) => void;
  readonly progressMilliseconds?: number;
}

/** Describes a migrating process's running work. */
export interface MigrationProgress {
  /** Names the work that starts now, for example by its migration. */
  start(name: string): void;
  /** Reports a line immediately. */
  report(line: string): void;
  stop(): void;
}

interface IndexBuild {
  readonly index_name: string | null;
  readonly table_name: string;
  readonly phase: string;
  readonly percent: number | null;
}

/** The index builds in the database. Blocks are counted during the table scan, and tuples afterwards. */
const indexBuilds = `SELECT i.relname AS index_name, t.relname AS table_name, p.phase,
    (CASE WHEN p.tuples_total > 0 THEN 100 * p.tuples_done / p.tuples_total WHEN p.blocks_total > 0 THEN 100 * p.blocks_done / p.blocks_total END)::int4 AS percent
  FROM pg_stat_progress_create_index p JOIN pg_class t ON t.oid = p.relid LEFT JOIN pg_class i ON i.oid = p.index_relid
  WHERE p.datname = current_database()`;

/** Reports the running work at an interval until it is stopped; work that takes less than the interval is not reported. */
export function watchProgress(
  { query }: Pick<Database, "query">,
  { onProgress, progressMilliseconds = defaultMilliseconds }: ProgressOptions,
): MigrationProgress {
  if (onProgress === undefined) return { start: () => undefined, report: () => undefined, stop: () => undefined };
  let current: { readonly name: string; readonly since: number } | null = null;
  const describe = async (): Promise<void> => {
    if (current === null) return;
    const { name, since } = current;
    // The figures are only informative: failing to read them does not fail the migration.
    const builds = await query<IndexBuild>(indexBuilds).catch(() => []);
    const seconds = Math.round((performance.now() - since) / 1_000);
    onProgress([`${name}: running for ${seconds} s`, ...builds.map(describeBuild)].join("; "));
  };
  const timer = setInterval(() => void describe(), progressMilliseconds);
  timer.unref();
  return {
    start: (name) => {
      current = { name, since: performance.now() };
    },
    report: onProgress,
    stop: () => clearInterval(timer),
  };
}

const describeBuild = ({ index_name: index, table_name: table, phase, percent }: IndexBuild): string =>
  `index ${index ?? "(new)"} of ${table}: ${phase}${percent === null ? "" : `, ${percent} %`}`;
