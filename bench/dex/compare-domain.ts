import type { Database } from "../../runtime/database/database.ts";
import { compareProjections, resultOfComparison } from "../indexing/compare-projections.ts";
import type { BenchResult } from "../result.ts";
import { writeTokenMetadata } from "../support/fill.ts";
import { runJobs } from "../support/run-jobs.ts";
import type { BenchServer } from "../support/server.ts";
import { countRows } from "../support/tables.ts";
import { jobsOf } from "./jobs.ts";
import type { SwapHistory } from "./swap-chain.ts";

/** Indexes a chain repeatedly, alternating with and without the projections of exchanges. */
export async function compareDomain(server: BenchServer, chain: SwapHistory, folder: string, runs: number): Promise<BenchResult> {
  // Every pool starts with one deposit.
  const actions = chain.swapCount + chain.poolCount;
  let jobs: BenchResult["table"] = [];
  const comparison = await compareProjections(server, {
    rpc: chain.url,
    chainId: chain.config.id,
    head: await chain.head(),
    subject: "exchanges",
    compared: new Set(["pools", "feeds"]),
    folder,
    runs,
    check: (rows) => {
      if (rows.pool_actions !== actions) throw new Error(`Indexed ${rows.pool_actions ?? 0} of ${actions} pool actions`);
    },
    onFirstIndex: async (database, before) => {
      jobs = await runPendingJobs(database, chain, before);
    },
  });
  return resultOfComparison(comparison, jobs);
}

/** Writes token metadata directly and runs the jobs. Returns table rows with the jobs' durations, and with the sizes of the tables that they filled. */
async function runPendingJobs(
  database: Database,
  { config }: SwapHistory,
  before: Readonly<Record<string, number>>,
): Promise<BenchResult["table"]> {
  await writeTokenMetadata(database, config.id);
  const times = await runJobs(database, config.id, jobsOf(config));
  const after = Object.entries(await countRows(database)).filter(([table]) => before[table] === undefined && table !== "token_metadata");
  return [
    ...times.map(({ name, milliseconds }) => ({ run: `afterwards, job ${name}`, ms: Math.round(milliseconds) })),
    ...after.map(([table, count]) => ({ run: `afterwards, rows of ${table}`, ms: count })),
  ];
}
