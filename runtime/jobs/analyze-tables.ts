import type { Job } from "./job.ts";

/** Long enough for autovacuum, if it is enabled, to analyze the tables first. */
const intervalMilliseconds = 600_000;
/** Statistics make no difference for smaller tables. */
const minRows = 10_000;

/**
 * Analyzes large tables without statistics, for example after a backfill before autovacuum runs, or on a server without autovacuum. Without statistics, the
 * planner may use the index of a common topic to look up a rare one. Each run analyzes one table from a sample of fixed size; reads and writes continue.
 */
export const createAnalyzeTables = (): Job => ({
  name: "analyze-tables",
  intervalMilliseconds,
  run: async ({ database }) => {
    const tables = await database.query<{ statement: string }>(
      `SELECT format('ANALYZE %I.%I', schemaname, relname) AS statement FROM pg_stat_user_tables
       WHERE schemaname = current_schema() AND n_live_tup > $1 AND last_analyze IS NULL AND last_autoanalyze IS NULL
       ORDER BY n_live_tup DESC, relname LIMIT 2`,
      [minRows],
    );
    const [table] = tables;
    if (table === undefined) return false;
    await database.query(table.statement);
    return tables.length > 1;
  },
});
