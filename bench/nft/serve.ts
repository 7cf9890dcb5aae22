import type { Database } from "../../runtime/database/database.ts";
import type { BenchResult } from "../result.ts";
import { startBenchApiServer } from "../support/bench-api-server.ts";
import { openCachedIndex } from "../support/cached-index.ts";
import { calibrateByQuery } from "../support/calibration.ts";
import type { EndpointCase } from "../support/endpoint-case.ts";
import { measureEndpoints } from "../support/measure-endpoints.ts";
import { projections } from "../support/projections.ts";
import { type JobTime, runJobs } from "../support/run-jobs.ts";
import { resultOfServing, variantTable } from "../support/serve-figures.ts";
import type { BenchServer } from "../support/server.ts";
import { countRows, megabytesOf } from "../support/tables.ts";
import { configOf } from "./chain-config.ts";
import { endpointCases } from "./endpoint-cases.ts";
import { chainId } from "./fill-index.ts";
import { jobsOf } from "./jobs.ts";
import { type NftMarketSize, nftMarketOf } from "./nft-market.ts";
import { storyVersion } from "./story.ts";

export interface ServeOptions extends Omit<NftMarketSize, "until"> {
  /** Requests per endpoint case. */
  readonly times: number;
  /** Endpoint rows; all by default. */
  readonly rows?: readonly number[] | undefined;
}

const print = (line: string): unknown => process.stdout.write(`${line}\n`);

/** Fills an index with a generated market or reuses the index of an earlier run, and measures the endpoints. */
export async function serveCollections(server: BenchServer, { times, rows, ...size }: ServeOptions): Promise<BenchResult> {
  const filled = await openCachedIndex(
    server,
    {
      name: `nft_${size.tokens}_${size.sales}`,
      inputs: ["nft", storyVersion, size, projections.map(({ id, version }) => [id, version])],
      label: `an index with ${size.tokens} tokens of a collection and ${size.sales} sales`,
      script: new URL("./fill-process.ts", import.meta.url),
      argument: { ...size, until: Math.floor(Date.now() / 1000) } satisfies NftMarketSize,
    },
    print,
  );
  return server.runOn(filled, async (database) => {
    const fullSize = { ...size, until: await newestTime(database) };
    const jobs = await runPendingJobs(database, fullSize);
    const cases = endpointCases(nftMarketOf(fullSize), fullSize).filter(({ row }) => rows?.includes(row) ?? true);
    return serveCases(database, fullSize, cases, times, jobs);
  });
}

/** Measures the endpoint cases. */
export async function serveCases(
  database: Database,
  size: NftMarketSize,
  cases: readonly EndpointCase[],
  times: number,
  jobs: readonly JobTime[] | null,
): Promise<BenchResult> {
  const serving = await startBenchApiServer(database, configOf(nftMarketOf(size)));
  try {
    const endpoints = await measureEndpoints(database, serving, cases, times);
    const subject = "NFT and approval endpoints, complete responses over HTTP";
    const result = resultOfServing({
      subject,
      endpoints,
      jobs,
      calibration: await calibrateByQuery(database),
      rows: await countRows(database),
      megabytes: await megabytesOf(database),
    });
    return { ...result, otherTables: [variantTable(endpoints)] };
  } finally {
    await serving.close();
  }
}

/** Runs the jobs unless an earlier run did, then VACUUM, as autovacuum would. */
export async function runPendingJobs(database: Database, size: NftMarketSize): Promise<readonly JobTime[] | null> {
  const [done] = await database.query("SELECT FROM price_progress WHERE chain_id = $1 LIMIT 1", [chainId]);
  if (done !== undefined) return null;
  const times = await runJobs(database, chainId, jobsOf(configOf(nftMarketOf(size))));
  for (const { name, runs, milliseconds } of times) print(`${name} took ${Math.round(milliseconds)} ms in ${runs} runs`);
  await database.query("VACUUM ANALYZE");
  return times;
}

const newestTime = async (database: Database): Promise<number> => {
  const [row] = await database.query<{ time: number }>("SELECT latest_timestamp AS time FROM chains WHERE chain_id = $1", [chainId]);
  return row?.time ?? 0;
};
