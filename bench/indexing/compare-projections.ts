import { join } from "node:path";
import type { Database } from "../../runtime/database/database.ts";
import { type BenchResult, median, rounded } from "../result.ts";
import { compileScript } from "../support/compiled.ts";
import { measureProcess } from "../support/measured-process.ts";
import { projections } from "../support/projections.ts";
import type { BenchServer } from "../support/server.ts";
import { countRows } from "../support/tables.ts";
import { lineOf, processor, ratios, wall } from "./run-figures.ts";
import type { IndexerOptions, IndexerRun } from "./runs.ts";
import { type Run, timedRun } from "./timed-run.ts";

const indexerScript = new URL("./indexer-process.ts", import.meta.url);
/** At most a quarter more wall time than without the projections. */
const maxRatio = 1.25;

type Rows = Readonly<Record<string, number>>;

/** The chain to index, and the projections that some runs exclude. */
export interface Switched {
  readonly rpc: string;
  readonly chainId: number;
  readonly head: number;
  /** What the compared projections add, as a plural noun for the report. */
  readonly subject: string;
  /** The ids of the compared projections. */
  readonly own: ReadonlySet<string>;
  /** The folder of the compiled script. */
  readonly folder: string;
  /** The number of runs with, and of runs without, the compared projections. */
  readonly runs: number;
  /** @throws where the rows of a run with all projections are not those of the chain. */
  readonly check: (rows: Rows) => void;
  /** Runs on the index of the first run with all projections. */
  readonly afterwards?: (database: Database, rows: Rows) => Promise<void>;
}

export interface ProjectionComparison {
  readonly subject: string;
  /** Runs with all projections, each followed by one without the compared projections. */
  readonly whole: readonly Run<IndexerRun>[];
  readonly without: readonly Run<IndexerRun>[];
  readonly rows: Rows;
}

/** Indexes a chain repeatedly, alternating between all projections and all but some; compiled, as an installed package is. */
export async function compareProjections(server: BenchServer, switched: Switched): Promise<ProjectionComparison> {
  const { rpc, chainId, head, subject, own, folder, runs, check, afterwards } = switched;
  const script = compileScript(indexerScript, join(folder, "indexer"));
  const index = (without: readonly string[]) => (databaseUrl: string) =>
    measureProcess<IndexerRun>(script, { rpc, chainId, head, traces: false, databaseUrl, without } satisfies IndexerOptions);
  // Not counted: warms the node, and determines the expected rows.
  await index([])(await server.create("target"));
  const rows = await server.on("target", countRows);
  check(rows);
  const tables = new Set(projections.filter(({ id }) => own.has(id)).flatMap((projection) => projection.tables.map(({ name }) => name)));
  // There is a checkpoint for each projection.
  const others = Object.fromEntries(Object.entries(rows).filter(([table]) => !tables.has(table) && table !== "projection_checkpoints"));
  const whole: Run<IndexerRun>[] = [];
  const without: Run<IndexerRun>[] = [];
  for (let count = 0; count < runs; count += 1) {
    whole.push(await timedRun(server, "all projections", rows, index([])));
    if (count === 0) await server.on("target", async (database) => afterwards?.(database, rows));
    without.push(await timedRun(server, `without ${subject}`, others, index([...own])));
  }
  return { subject, whole, without, rows };
}

/** The table and figures of a comparison; `further` are lines between the ratios and the rows. The ratio is the median of the ratios of the pairs. */
export function resultOfComparison(comparison: ProjectionComparison, further: BenchResult["table"] = []): BenchResult {
  const { subject, whole, without, rows } = comparison;
  const own = ratios(whole, without, wall);
  const ratio = median(own);
  return {
    table: [
      ...whole.flatMap((run, index) => [run, without[index]].flatMap((each) => (each === undefined ? [] : [lineOf(each)]))),
      ...own.map((value, index) => ({ run: `ratio of pair ${index + 1} (bound ${maxRatio})`, ms: rounded(value) })),
      ...further,
      ...Object.entries(rows).map(([table, count]) => ({ run: `rows of ${table}`, ms: count })),
    ],
    figures: {
      ratio: rounded(ratio),
      processorRatio: rounded(median(ratios(whole, without, processor))),
      wholeMilliseconds: Math.round(median(whole.map(wall))),
      withoutMilliseconds: Math.round(median(without.map(wall))),
    },
    missed: ratio <= maxRatio ? [] : [`With ${subject} an index takes ${rounded(ratio)} times as long, not ${maxRatio} at most.`],
  };
}
