import type { Database } from "../../runtime/database/database.ts";
import type { BenchResult } from "../result.ts";
import { calibrateByQuery } from "../support/calibration.ts";
import type { EndpointCase } from "../support/endpoint-case.ts";
import { openKeptIndex } from "../support/kept-index.ts";
import { projections } from "../support/projections.ts";
import { type JobTime, runJobs } from "../support/run-jobs.ts";
import { kindsOf, resultOfServing } from "../support/serve-figures.ts";
import { measureEndpoints } from "../support/served.ts";
import type { BenchServer } from "../support/server.ts";
import { openServing } from "../support/serving.ts";
import { countRows, megabytesOf } from "../support/tables.ts";
import { type CastSize, castOf } from "./cast.ts";
import { configOf } from "./chain-config.ts";
import { endpointCases } from "./endpoint-cases.ts";
import { chainId } from "./fill-index.ts";
import { jobsOf } from "./jobs.ts";
import { storyVersion } from "./story.ts";

export interface ServeOptions extends Omit<CastSize, "until"> {
  /** Requests a kind of question. */
  readonly times: number;
  /** All where it is not said. */
  readonly rows?: readonly number[] | undefined;
}

const say = (line: string): unknown => process.stdout.write(`${line}\n`);

/** Fills an index with generated collections or takes the one of an earlier run, and asks the endpoints. */
export async function serveCollections(server: BenchServer, { times, rows, ...size }: ServeOptions): Promise<BenchResult> {
  const filled = await openKeptIndex(
    server,
    {
      name: `nft_${size.tokens}_${size.sales}`,
      inputs: ["nft", storyVersion, size, projections.map(({ id, version }) => [id, version])],
      label: `an index with ${size.tokens} tokens of a collection and ${size.sales} sales`,
      script: new URL("./fill-process.ts", import.meta.url),
      argument: { ...size, until: Math.floor(Date.now() / 1000) } satisfies CastSize,
    },
    say,
  );
  return server.on(filled, async (database) => {
    const whole = { ...size, until: await newestTime(database) };
    const jobs = await workOff(database, whole);
    const cases = endpointCases(castOf(whole), whole).filter(({ row }) => rows?.includes(row) ?? true);
    return serveCases(database, whole, cases, times, jobs);
  });
}

/** Asks everything so many times. */
export async function serveCases(
  database: Database,
  size: CastSize,
  cases: readonly EndpointCase[],
  times: number,
  jobs: readonly JobTime[] | null,
): Promise<BenchResult> {
  const serving = await openServing(database, configOf(castOf(size)));
  try {
    const endpoints = await measureEndpoints(database, serving, cases, times);
    const subject = "rows 7 to 21, whole answers over HTTP";
    const result = resultOfServing({
      subject,
      endpoints,
      jobs,
      calibration: await calibrateByQuery(database),
      rows: await countRows(database),
      megabytes: await megabytesOf(database),
    });
    return { ...result, further: [kindsOf(endpoints)] };
  } finally {
    await serving.close();
  }
}

/** Does the jobs, unless an earlier run did, and then what the server's own autovacuum would have done meanwhile. */
export async function workOff(database: Database, size: CastSize): Promise<readonly JobTime[] | null> {
  const [done] = await database.query("SELECT FROM price_progress WHERE chain_id = $1 LIMIT 1", [chainId]);
  if (done !== undefined) return null;
  const times = await runJobs(database, chainId, jobsOf(configOf(castOf(size))));
  for (const { name, turns, milliseconds } of times) say(`to ${name} took ${Math.round(milliseconds)} ms in ${turns} turns`);
  await database.query("VACUUM ANALYZE");
  return times;
}

const newestTime = async (database: Database): Promise<number> => {
  const [row] = await database.query<{ time: number }>("SELECT latest_timestamp AS time FROM chains WHERE chain_id = $1", [chainId]);
  return row?.time ?? 0;
};
