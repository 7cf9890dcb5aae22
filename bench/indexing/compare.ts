import { loadavg } from "node:os";
import { join } from "node:path";
import { compileScript } from "../support/compiled.ts";
import { type Measured, measureProcess } from "../support/measured-process.ts";
import { processorSecondsOf } from "../support/processor-time.ts";
import type { BenchServer } from "../support/server.ts";
import { countRows, listIndexes, tableNames } from "../support/tables.ts";
import type { BaselineOptions, IndexerRun, RunOptions, Timing } from "./runs.ts";

const indexerScript = new URL("./indexer-process.ts", import.meta.url);
const baselineScript = new URL("./baseline-process.ts", import.meta.url);

/** One run with what the programs beside it took: processor seconds of the node and the database, and the machine's load at its end. */
export interface Run<T extends Timing> extends Measured<T> {
  readonly kind: "indexer" | "baseline: text" | "baseline: values";
  readonly load: number;
  readonly node: number | null;
  readonly database: number | null;
}

export interface Comparison {
  readonly indexed: readonly Run<IndexerRun>[];
  /** Rows as text, ready for the wire: the strictest baseline. */
  readonly texts: readonly Run<Timing>[];
  /** Rows as values that the script has to encode. */
  readonly values: readonly Run<Timing>[];
  readonly rows: Readonly<Record<string, number>>;
}

export interface CompareOptions {
  /** Where the compiled scripts are put. */
  readonly folder: string;
  readonly runs: number;
  /** How many there are, to compare with what was indexed. */
  readonly transfers: number;
  /** A folder for processor profiles of the indexer. */
  readonly profile?: string | undefined;
}

type Work = Omit<RunOptions, "databaseUrl">;
type Rows = Readonly<Record<string, number>>;

/** Runs the indexer and both baselines in turn, each into an empty database; all are compiled, as an installed package is. */
export async function compare(server: BenchServer, work: Work, options: CompareOptions): Promise<Comparison> {
  const indexer = compileScript(indexerScript, join(options.folder, "indexer"));
  const baseline = compileScript(baselineScript, join(options.folder, "baseline"));
  const nodeOptions = options.profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${options.profile}`];
  const index = (databaseUrl: string) => measureProcess<IndexerRun>(indexer, { ...work, databaseUrl } satisfies RunOptions, nodeOptions);
  // Not counted: it makes the rows that the baselines copy, and warms the node for all.
  await index(await server.create("rows"));
  const rows = await server.on("rows", countRows);
  if (rows.transfers !== options.transfers) throw new Error(`${options.transfers} transfers were made and ${rows.transfers} indexed.`);
  const source = { rowsUrl: server.urlOf("rows"), tables: await server.on("rows", tableNames) };
  const copy = (rowsAs: BaselineOptions["rowsAs"]) => (databaseUrl: string) =>
    measureProcess<Timing>(baseline, { ...work, ...source, rowsAs, databaseUrl } satisfies BaselineOptions);
  const indexed: Run<IndexerRun>[] = [];
  const texts: Run<Timing>[] = [];
  const values: Run<Timing>[] = [];
  for (let count = 0; count < options.runs; count += 1) {
    indexed.push(await timed(server, "indexer", rows, index));
    texts.push(await timed(server, "baseline: text", rows, copy("text")));
    values.push(await timed(server, "baseline: values", rows, copy("values")));
  }
  return { indexed, texts, values, rows };
}

/** One run into an empty database; afterwards it must hold the same rows as all others, and every index must be there and valid. */
async function timed<T extends Timing>(
  server: BenchServer,
  kind: Run<T>["kind"],
  rows: Rows,
  work: (databaseUrl: string) => Promise<Measured<T>>,
): Promise<Run<T>> {
  const url = await server.create("target");
  const indexes = await server.on("target", listIndexes);
  // What earlier runs left to be written is not this run's work.
  await server.on("target", (database) => database.query("CHECKPOINT"));
  const before = { node: processorSecondsOf("anvil"), database: processorSecondsOf("postgres") };
  const measured = await work(url);
  const [load = Number.NaN] = loadavg();
  const after = { node: processorSecondsOf("anvil"), database: processorSecondsOf("postgres") };
  await inspect(
    server,
    kind,
    indexes.map(({ name }) => name),
    rows,
  );
  return { ...measured, kind, load, node: difference(after.node, before.node), database: difference(after.database, before.database) };
}

/** @throws where an index or a row is missing. */
const inspect = (server: BenchServer, kind: string, indexes: readonly string[], rows: Rows): Promise<void> =>
  server.on("target", async (database) => {
    const found = await listIndexes(database);
    const missing = indexes.filter((name) => found.find((index) => index.name === name)?.valid !== true);
    if (missing.length > 0) throw new Error(`After the ${kind}, indexes are missing or not valid: ${missing.join(", ")}.`);
    const counts = await countRows(database);
    const [other] = Object.entries(rows).filter(([table, count]) => counts[table] !== count);
    if (other !== undefined) throw new Error(`The ${kind} left ${counts[other[0]] ?? 0} rows in ${other[0]}, not ${other[1]}.`);
  });

const difference = (after: number | null, before: number | null): number | null =>
  after === null || before === null ? null : after - before;
