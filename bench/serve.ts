import { mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Database } from "../runtime/database/database.ts";
import { createKeys } from "../runtime/http/keys.ts";
import { factsOf } from "./queries/story.ts";
import type { BenchResult } from "./result.ts";
import { sqlOf, statementsFolder, valuesOf, writePlan } from "./serve/bare-statement.ts";
import { rowCases } from "./serve/cases.ts";
import { connectionsPerKey, type LoadOptions, measureCell } from "./serve/cells.ts";
import { compareBytes } from "./serve/compare-bytes.ts";
import { countStatements, describeStatements, type RequestStatements } from "./serve/count-statements.ts";
import { type Comparison, type RowFigures, resultOf } from "./serve/figures.ts";
import { openServedIndex } from "./serve/index.ts";
import { findPgbench, runPgbench } from "./serve/pgbench.ts";
import { type ServerProcess, startProcess } from "./serve/processes.ts";
import { compilePrograms, type Programs, startProduct } from "./serve/product.ts";
import { profileRow } from "./serve/profile-row.ts";
import type { RowCase } from "./serve/row-case.ts";
import { startStatementProxy } from "./serve/statement-proxy.ts";
import { type WorkersFigures, workersTable } from "./serve/workers.ts";
import { parentOf } from "./support/cpu-time.ts";
import { type BenchServer, startBenchServer } from "./support/server.ts";

/** The index can be generated again, so it need not survive a power failure. */
const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", maintenance_work_mem: "512MB" };
const barePoolSize = 8;
const warmUpMilliseconds = 1000;
/** The warm-up of a row's first cell, in which its code is compiled. */
const firstWarmUpMilliseconds = 3000;
const print = (line: string): unknown => process.stdout.write(`${line}\n`);

/** Options of a run. */
interface Options {
  readonly milliseconds: number;
  readonly connections: readonly number[];
  /** Rows to measure; all if empty. */
  readonly rows: readonly string[];
  readonly profile: boolean;
  readonly explain: boolean;
  /** Workers of a further product server, which is compared with the one of one process; 1 for none. */
  readonly workers: number;
}

/** Compares `ashlar serve` with a server that only runs one statement per request. */
export async function run(args: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      transfers: { type: "string", default: "1000000" },
      seed: { type: "string", default: "1" },
      seconds: { type: "string", default: "3" },
      connections: { type: "string", default: "1,8,32,128" },
      rows: { type: "string", default: "" },
      profile: { type: "boolean", default: false },
      explain: { type: "boolean", default: false },
      workers: { type: "string", default: "1" },
    },
  });
  const options: Options = {
    milliseconds: Number(values.seconds) * 1000,
    connections: values.connections.split(",").map(Number),
    rows: values.rows.split(",").filter((row) => row !== ""),
    profile: values.profile,
    explain: values.explain,
    workers: Number(values.workers),
  };
  const size = { seed: Number(values.seed), transfers: Number(values.transfers) };
  const cases = rowCases(factsOf(size)).filter(({ row }) => options.rows.length === 0 || options.rows.includes(row));
  const folder = await mkdtemp(join(tmpdir(), "ashlar-bench-serve-"));
  const server = await startBenchServer(process.env.ASHLAR_BENCH_DIR ?? join(tmpdir(), "ashlar-bench-queries"), settings);
  try {
    const name = await openServedIndex(server, size, print);
    const programs = compilePrograms(join(folder, "programs"));
    return await server.on(name, (database) => compare({ server, name, database, folder, programs, cases, options }));
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Work {
  readonly server: BenchServer;
  readonly name: string;
  readonly database: Database;
  readonly folder: string;
  readonly programs: Programs;
  readonly cases: readonly RowCase[];
  readonly options: Options;
}

/** Compares the servers, and the product with workers if there are any. */
async function compare(work: Work): Promise<BenchResult> {
  const { server, name, database, folder, programs, cases, options } = work;
  const databaseUrl = server.urlOf(name);
  return withKeys(database, Math.ceil(Math.max(...options.connections) / connectionsPerKey), async (keys) => {
    const load: LoadOptions = {
      script: programs.load,
      keys,
      milliseconds: options.milliseconds,
      warmUpMilliseconds,
      postmaster: await postmasterOf(database),
    };
    const counts = await countAll(work, keys[0] ?? "");
    const rows = await measureRows(work, databaseUrl, load, counts);
    const workers = options.workers === 1 ? [] : await measureWorkers(work, databaseUrl, load);
    for (const rowCase of options.profile ? cases : []) {
      for (const line of await profileRow(programs, databaseUrl, folder, rowCase, load)) print(line);
    }
    const result = resultOf(rows, loadavg()[0] ?? Number.NaN);
    return workers.length === 0 ? result : { ...result, further: [...(result.further ?? []), workersTable(workers, options.workers)] };
  });
}

/** Starts the product and the bare server, and measures all rows. */
async function measureRows(
  work: Work,
  databaseUrl: string,
  load: LoadOptions,
  counts: readonly RequestStatements[],
): Promise<RowFigures[]> {
  const { folder, programs, cases } = work;
  const product = await startProduct(programs, databaseUrl, folder);
  const bareArgument = { databaseUrl, poolSize: barePoolSize, statements: statementsFolder };
  const bare = await startProcess([fileURLToPath(programs.bare), JSON.stringify(bareArgument)], {}, join(folder, "bare.log"));
  const rows: RowFigures[] = [];
  try {
    for (const [position, rowCase] of cases.entries()) {
      const comparisons = await compareRow(work, { product, bare }, rowCase, load);
      const statements = counts[position];
      if (statements === undefined) throw new Error(`The statements of row ${rowCase.row} were not counted.`);
      rows.push({ rowCase, comparisons, statements, pgbench: await measurePgbench(work, rowCase, databaseUrl) });
    }
  } finally {
    await product.stop();
    await bare.stop();
  }
  return rows;
}

/** Measures the product in one process and with workers in turn. */
async function measureWorkers(
  { folder, programs, cases, options }: Work,
  databaseUrl: string,
  load: LoadOptions,
): Promise<WorkersFigures[]> {
  const started: ServerProcess[] = [];
  const start = async (workers: number): Promise<ServerProcess> => {
    const own = join(folder, `workers-${workers}`);
    mkdirSync(own);
    const server = await startProduct(programs, databaseUrl, own, { workers });
    started.push(server);
    return server;
  };
  try {
    const [single, cluster] = [await start(1), await start(options.workers)];
    const figures: WorkersFigures[] = [];
    for (const rowCase of cases) {
      for (const connections of options.connections.filter((count) => count <= (rowCase.maxConnections ?? count))) {
        const warmed = { ...load, warmUpMilliseconds: firstWarmUpMilliseconds };
        const one = await measureCell(single, rowCase, connections, warmed);
        figures.push({ rowCase, connections, one, several: await measureCell(cluster, rowCase, connections, warmed) });
      }
    }
    return figures;
  } finally {
    for (const server of started) await server.stop();
  }
}

/** Runs work with new keys, and deletes them and their usage. */
async function withKeys<T>(database: Database, count: number, work: (keys: readonly string[]) => Promise<T>): Promise<T> {
  const keys = createKeys(database);
  const created = await Promise.all(Array.from({ length: count }, (_, index) => keys.create({ label: `bench ${index}` })));
  try {
    return await work(created.map(({ key }) => key));
  } finally {
    const ids = created.map(({ id }) => id);
    await database.query("DELETE FROM credit_usage WHERE key_id = ANY ($1::int8[])", [ids]);
    await database.query("DELETE FROM api_keys WHERE id = ANY ($1::int8[])", [ids]);
  }
}

/** Compares the bodies of both servers, and measures both with each number of connections in turn, so that other load on the machine affects them alike. */
async function compareRow(
  { database, options }: Work,
  { product, bare }: { readonly product: ServerProcess; readonly bare: ServerProcess },
  rowCase: RowCase,
  load: LoadOptions,
): Promise<Comparison[]> {
  await compareBytes(rowCase, { product: product.port, bare: bare.port }, load.keys[0] ?? "");
  if (options.explain) await writePlan(database, rowCase);
  const comparisons: Comparison[] = [];
  for (const connections of options.connections.filter((count) => count <= (rowCase.maxConnections ?? count))) {
    const warmed = comparisons.length === 0 ? { ...load, warmUpMilliseconds: firstWarmUpMilliseconds } : load;
    comparisons.push({
      connections,
      product: await measureCell(product, rowCase, connections, warmed),
      bare: await measureCell(bare, rowCase, connections, warmed),
    });
  }
  return comparisons;
}

async function postmasterOf(database: Database): Promise<number> {
  const [row] = await database.query<{ id: number }>("SELECT pg_backend_pid()::int8 AS id");
  return parentOf(row?.id ?? 0) ?? 0;
}

/** Counts the statements of all rows with a server of its own, whose connections go through a proxy. */
async function countAll({ server, name, folder, programs, cases, options }: Work, key: string): Promise<RequestStatements[]> {
  const proxy = await startStatementProxy(server.urlOf(name));
  const own = join(folder, "counted");
  mkdirSync(own);
  const product = await startProduct(programs, proxy.url, own);
  try {
    const counts: RequestStatements[] = [];
    for (const rowCase of cases) {
      const count = await countStatements(rowCase, product.port, key, proxy);
      counts.push(count);
      if (!options.profile) continue;
      print(`\nStatements of a request to row ${rowCase.row} (${rowCase.name})`);
      for (const line of describeStatements(count, 400)) print(line);
    }
    return counts;
  } finally {
    await product.stop();
    proxy.stop();
  }
}

async function measurePgbench({ folder, options }: Work, rowCase: RowCase, databaseUrl: string): Promise<number | null> {
  const program = findPgbench();
  if (program === null) return null;
  return runPgbench(program, {
    sql: sqlOf(rowCase),
    values: valuesOf(rowCase),
    databaseUrl,
    clients: barePoolSize,
    seconds: Math.ceil(options.milliseconds / 1000),
    folder,
  });
}
