import { join } from "node:path";
import { compileScript } from "../support/compile-script.ts";
import { measureProcess } from "../support/measured-process.ts";
import type { BenchServer } from "../support/server.ts";
import { countRows, tableNames } from "../support/tables.ts";
import type { BaselineOptions, IndexerRun, RunOptions, Timing } from "./runs.ts";
import { type Run, timeRun } from "./time-run.ts";

const indexerScript = new URL("./indexer-process.ts", import.meta.url);
const baselineScript = new URL("./baseline-process.ts", import.meta.url);

export interface Comparison {
  readonly indexed: readonly Run<IndexerRun>[];
  /** Runs of the strictest baseline, which copies rows as encoded text. */
  readonly encoded: readonly Run<Timing>[];
  /** Runs of the baseline that copies rows as values, which it has to encode. */
  readonly values: readonly Run<Timing>[];
  readonly rows: Readonly<Record<string, number>>;
}

export interface CompareOptions {
  /** The folder of the compiled scripts. */
  readonly folder: string;
  readonly runs: number;
  /** The expected number of transfers. */
  readonly transfers: number;
  /** A folder for CPU profiles of the indexer. */
  readonly profile?: string | undefined;
}

type Work = Omit<RunOptions, "databaseUrl">;

/** Runs the indexer and both baselines alternately, each into an empty database. All are compiled, like an installed package. */
export async function compare(server: BenchServer, work: Work, options: CompareOptions): Promise<Comparison> {
  const indexer = compileScript(indexerScript, join(options.folder, "indexer"));
  const baseline = compileScript(baselineScript, join(options.folder, "baseline"));
  const nodeOptions = options.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${options.profile}`];
  const index = (databaseUrl: string) => measureProcess<IndexerRun>(indexer, { ...work, databaseUrl } satisfies RunOptions, nodeOptions);
  // This run is not measured: it writes the rows that the baselines copy, and warms up the node.
  await index(await server.create("rows"));
  const rows = await server.runOn("rows", countRows);
  if (rows.transfers !== options.transfers) throw new Error(`Indexed ${rows.transfers ?? 0} of ${options.transfers} transfers`);
  const source = { rowsUrl: server.urlOf("rows"), tables: await server.runOn("rows", tableNames) };
  const copy = (rowsAs: BaselineOptions["rowsAs"]) => (databaseUrl: string) =>
    measureProcess<Timing>(baseline, { ...work, ...source, rowsAs, databaseUrl } satisfies BaselineOptions);
  const indexed: Run<IndexerRun>[] = [];
  const encoded: Run<Timing>[] = [];
  const values: Run<Timing>[] = [];
  for (let count = 0; count < options.runs; count += 1) {
    indexed.push(await timeRun(server, "indexer", rows, index));
    encoded.push(await timeRun(server, "baseline: text", rows, copy("text")));
    values.push(await timeRun(server, "baseline: values", rows, copy("values")));
  }
  return { indexed, encoded, values, rows };
}
