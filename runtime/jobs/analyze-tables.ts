import type { Job } from "./job.ts";

/** Where the server keeps its tables in order itself, it has done so long before the next look. */
const everyMilliseconds = 600_000;
/** A smaller table is read as fast without statistics. */
const fewRows = 10_000;

/**
 * Gathers statistics of large tables that have none yet, as after a backfill that ended before the server's own turn, or on a server that takes none: without
 * them, a rare topic is looked for by a common one. One table a turn, by a sample of fixed size; reading and writing go on meanwhile.
 */
export const createAnalyzeTables = (): Job => ({
  name: "analyze-tables",
  everyMilliseconds,
  run: async ({ database }) => {
    const waiting = await database.query<{ statement: string }>(
      `SELECT format('ANALYZE %I.%I', schemaname, relname) AS statement FROM pg_stat_user_tables
       WHERE schemaname = current_schema() AND n_live_tup > ${fewRows} AND last_analyze IS NULL AND last_autoanalyze IS NULL
       ORDER BY n_live_tup DESC, relname LIMIT 2`,
    );
    const [table] = waiting;
    if (table === undefined) return false;
    await database.query(table.statement);
    return waiting.length > 1;
  },
});
