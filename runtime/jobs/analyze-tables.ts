import type { Job } from "./job.ts";

/** Long enough for autovacuum, where it is enabled, to analyze the tables first. */
const intervalMilliseconds = 600_000;
/** Smaller tables are read as fast without statistics. */
const minRows = 10_000;

/**
 * Analyzes large tables without statistics, as after a backfill that autovacuum has not reached yet, or on a server without autovacuum: without statistics, the
 * planner may look up a rare topic by a common one. One table per run, by a sample of fixed size; reads and writes continue meanwhile.
 */
export const createAnalyzeTables = (): Job => ({
  name: "analyze-tables",
  intervalMilliseconds,
  run: async ({ database }) => {
    const waiting = await database.query<{ statement: string }>(
      `SELECT format('ANALYZE %I.%I', schemaname, relname) AS statement FROM pg_stat_user_tables
       WHERE schemaname = current_schema() AND n_live_tup > $1 AND last_analyze IS NULL AND last_autoanalyze IS NULL
       ORDER BY n_live_tup DESC, relname LIMIT 2`,
      [minRows],
    );
    const [table] = waiting;
    if (table === undefined) return false;
    await database.query(table.statement);
    return waiting.length > 1;
  },
});
