import { join } from "node:path";
import type { Database } from "../../runtime/database/database.ts";
import { type BenchResult, median, rounded } from "../result.ts";
import { compileScript } from "../support/compile-script.ts";
import { measureProcess } from "../support/measured-process.ts";
import { projections } from "../support/projections.ts";
import type { BenchServer } from "../support/server.ts";
import { countRows } from "../support/tables.ts";
import { ratios, toTableRow, totalCpuSeconds, wallMilliseconds } from "./run-figures.ts";
import type { IndexerOptions, IndexerRun } from "./runs.ts";
import { type Run, timeRun } from "./time-run.ts";

const indexerScript = new URL("./indexer-process.ts", import.meta.url);
/** The maximum ratio of wall times: a quarter more than without the projections. */
const maxRatio = 1.25;

type Rows = Readonly<Record<string, number>>;

/** The chain to index, and the projections that every second run excludes. */
export interface ComparisonOptions {
  readonly rpc: string;
  readonly chainId: number;
  readonly head: number;
  /** What the compared projections add, as a plural noun for the report. */
  readonly subject: string;
  /** The ids of the compared projections. */
  readonly compared: ReadonlySet<string>;
  /** The folder of the compiled script. */
  readonly folder: string;
  /** The number of runs with all projections, and of runs without the compared ones. */
  readonly runs: number;
  /** @throws {Error} if the rows of a run with all projections do not match the chain. */
  readonly check: (rows: Rows) => void;
  /** Runs on the index of the first run with all projections. */
  readonly onFirstIndex?: (database: Database, rows: Rows) => Promise<void>;
}

export interface ProjectionComparison {
  readonly subject: string;
  /** Runs with all projections. */
  readonly complete: readonly Run<IndexerRun>[];
  /** Runs without the compared projections, each after a complete one. */
  readonly reduced: readonly Run<IndexerRun>[];
  readonly rows: Rows;
}

/** Indexes a chain repeatedly, alternating with and without the compared projections. The script is compiled, like an installed package. */
export async function compareProjections(server: BenchServer, options: ComparisonOptions): Promise<ProjectionComparison> {
  const { rpc, chainId, head, subject, compared, folder, runs, check, onFirstIndex } = options;
  const script = compileScript(indexerScript, join(folder, "indexer"));
  const index = (excluded: readonly string[]) => (databaseUrl: string) =>
    measureProcess<IndexerRun>(script, { rpc, chainId, head, traces: false, databaseUrl, excluded } satisfies IndexerOptions);
  // This run is not measured: it warms up the node and determines the expected rows.
  await index([])(await server.create("target"));
  const rows = await server.runOn("target", countRows);
  check(rows);
  const tables = new Set(
    projections.filter(({ id }) => compared.has(id)).flatMap((projection) => projection.tables.map(({ name }) => name)),
  );
  // There is a checkpoint for each projection.
  const otherRows = Object.fromEntries(Object.entries(rows).filter(([table]) => !tables.has(table) && table !== "projection_checkpoints"));
  const complete: Run<IndexerRun>[] = [];
  const reduced: Run<IndexerRun>[] = [];
  for (let count = 0; count < runs; count += 1) {
    complete.push(await timeRun(server, "all projections", rows, index([])));
    if (count === 0) await server.runOn("target", async (database) => onFirstIndex?.(database, rows));
    reduced.push(await timeRun(server, `without ${subject}`, otherRows, index([...compared])));
  }
  return { subject, complete, reduced, rows };
}

/** Builds a comparison's table and figures; `extraRows` are inserted before the row counts. The ratio is the median over the pairs. */
export function resultOfComparison(comparison: ProjectionComparison, extraRows: BenchResult["table"] = []): BenchResult {
  const { subject, complete, reduced, rows } = comparison;
  const pairRatios = ratios(complete, reduced, wallMilliseconds);
  const ratio = median(pairRatios);
  return {
    table: [
      ...complete.flatMap((run, index) => [run, reduced[index]].flatMap((each) => (each === undefined ? [] : [toTableRow(each)]))),
      ...pairRatios.map((value, index) => ({ run: `ratio of pair ${index + 1} (bound ${maxRatio})`, ms: rounded(value) })),
      ...extraRows,
      ...Object.entries(rows).map(([table, count]) => ({ run: `rows of ${table}`, ms: count })),
    ],
    figures: {
      ratio: rounded(ratio),
      cpuRatio: rounded(median(ratios(complete, reduced, totalCpuSeconds))),
      allMilliseconds: Math.round(median(complete.map(wallMilliseconds))),
      withoutMilliseconds: Math.round(median(reduced.map(wallMilliseconds))),
    },
    missed:
      ratio <= maxRatio
        ? []
        : [`Indexing with ${subject} takes ${rounded(ratio)} times as long as without; the target is at most ${maxRatio}.`],
  };
}
