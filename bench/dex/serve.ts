import type { Database } from "../../runtime/database/database.ts";
import type { BenchResult } from "../result.ts";
import { startBenchApiServer } from "../support/bench-api-server.ts";
import { openCachedIndex } from "../support/cached-index.ts";
import { calibrateByQuery } from "../support/calibration.ts";
import { measureEndpoints } from "../support/measure-endpoints.ts";
import { projections } from "../support/projections.ts";
import { type JobTime, runJobs } from "../support/run-jobs.ts";
import { resultOfServing } from "../support/serve-figures.ts";
import type { BenchServer } from "../support/server.ts";
import { countRows, megabytesOf } from "../support/tables.ts";
import { chainId, configOf } from "./chain-config.ts";
import { endpointCases } from "./endpoint-cases.ts";
import { jobsOf } from "./jobs.ts";
import { type MarketSize, marketOf } from "./market.ts";
import { storyVersion } from "./story.ts";

export interface ServeOptions extends Omit<MarketSize, "until"> {
  /** Requests per endpoint case. */
  readonly times: number;
  /** Runs the jobs again on a copy of the filled index, even if an earlier run did. */
  readonly rerunJobs: boolean;
}

const served = "dex_served";
const print = (line: string): unknown => process.stdout.write(`${line}\n`);

/** Fills an index with a generated market or reuses the index of an earlier run, runs the jobs and measures the endpoints. */
export async function serveMarket(server: BenchServer, { times, rerunJobs, ...size }: ServeOptions): Promise<BenchResult> {
  const filled = await openCachedIndex(
    server,
    {
      name: `dex_${size.swaps}_${size.pools}`,
      inputs: ["dex", storyVersion, size, projections.map(({ id, version }) => [id, version])],
      label: `an index with ${size.pools} pools and ${size.swaps} swaps`,
      script: new URL("./fill-process.ts", import.meta.url),
      argument: { ...size, until: Math.floor(Date.now() / 1000) } satisfies MarketSize,
    },
    print,
  );
  const withJobs = filled.replace("dex_", "dexworked_");
  const names = await server.names();
  const isNew = rerunJobs || !names.includes(withJobs);
  if (isNew) {
    for (const outdated of names.filter((name) => name.startsWith("dexworked_"))) await server.drop(outdated);
    print("Copying the filled index for the jobs");
    await server.copy(filled, served);
  }
  const jobs = isNew ? await server.runOn(served, runPendingJobs(size)) : null;
  if (isNew) await server.rename(served, withJobs);
  return server.runOn(withJobs, async (database) => {
    const fullSize = { ...size, until: await newestTime(database) };
    const market = marketOf(fullSize);
    const serving = await startBenchApiServer(database, configOf(market));
    try {
      const endpoints = await measureEndpoints(database, serving, endpointCases(market, fullSize), times);
      return resultOfServing({
        subject: "exchange endpoints, complete responses over HTTP",
        endpoints,
        jobs,
        calibration: await calibrateByQuery(database),
        rows: await countRows(database),
        megabytes: await megabytesOf(database),
      });
    } finally {
      await serving.close();
    }
  });
}

/** Runs the jobs, then VACUUM, as autovacuum would. */
const runPendingJobs =
  (size: Omit<MarketSize, "until">) =>
  async (database: Database): Promise<JobTime[]> => {
    const until = await newestTime(database);
    const times = await runJobs(database, chainId, jobsOf(configOf(marketOf({ ...size, until }))));
    for (const { name, runs, milliseconds } of times) print(`${name} took ${Math.round(milliseconds)} ms in ${runs} runs`);
    await database.query("VACUUM ANALYZE");
    return times;
  };

const newestTime = async (database: Database): Promise<number> => {
  const rows = await database.query<{ time: number }>("SELECT latest_timestamp AS time FROM chains WHERE chain_id = $1", [chainId]);
  return rows[0]?.time ?? 0;
};
