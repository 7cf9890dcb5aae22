import { mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "../runtime/database/database.ts";
import { type BenchResult, rounded } from "./result.ts";
import { writePlan } from "./serve/bare-statement.ts";
import { selectCases } from "./serve/cases.ts";
import { connectionsPerKey, type LoadOptions } from "./serve/cells.ts";
import { type BareCheck, checkBare } from "./serve/check-bare.ts";
import { compareBytes } from "./serve/compare-bytes.ts";
import { countStatements, describeStatements, type RequestStatements } from "./serve/count-statements.ts";
import { estimateNote, estimateTable } from "./serve/estimate.ts";
import { type RowFailure, resultOf } from "./serve/figures.ts";
import { openServedIndex } from "./serve/index.ts";
import { withKeys } from "./serve/keys.ts";
import { measurePeers, measureRow, type RowFigures } from "./serve/measure-row.ts";
import { comparedConnections, type Options, parseOptions, warmUpMilliseconds } from "./serve/options.ts";
import { requirePeers } from "./serve/peers.ts";
import { compilePrograms, type Programs, startProduct } from "./serve/product.ts";
import { profileRow } from "./serve/profile-row.ts";
import type { RowCase } from "./serve/row-case.ts";
import { type Servers, startServers } from "./serve/servers.ts";
import { type StatementProxy, startStatementProxy } from "./serve/statement-proxy.ts";
import { summaryOf } from "./serve/summary.ts";
import { measureWorkers, workersTable } from "./serve/workers.ts";
import { postmasterOf } from "./support/cpu-time.ts";
import { type BenchServer, startBenchServer } from "./support/server.ts";

/** The index can be generated again, so it need not survive a power failure. More servers are connected concurrently than in production. */
const settings = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  maintenance_work_mem: "512MB",
  max_connections: "400",
};
const print = (line: string): unknown => process.stdout.write(`${line}\n`);

/** Compares `ashlar serve` with a server that only runs one statement per request, with an Express server and, with --peers, with other libraries. */
export async function run(args: readonly string[]): Promise<BenchResult> {
  const options = parseOptions(args);
  if (options.peers) requirePeers();
  const cases = selectCases(options, options.rows);
  const folder = await mkdtemp(join(tmpdir(), "ashlar-bench-serve-"));
  const server = await startBenchServer(process.env.ASHLAR_BENCH_DIR ?? join(tmpdir(), "ashlar-bench-queries"), settings);
  try {
    const { seed, transfers } = options;
    const name = await openServedIndex(server, { seed, transfers }, print);
    const programs = compilePrograms(join(folder, "programs"));
    print(`Measuring ${cases.length} rows, ${rounded(options.milliseconds / 1000)} s for each cell`);
    return await server.runOn(name, (database) => compare({ server, name, database, folder, programs, cases, options }));
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

/** Compares the servers and, if the options list worker counts, measures the product with each. */
async function compare(work: Work): Promise<BenchResult> {
  const { server, name, database, folder, programs, cases, options } = work;
  const databaseUrl = server.urlOf(name);
  return withKeys(database, Math.ceil(Math.max(comparedConnections, ...options.connections) / connectionsPerKey), async (keys) => {
    const postmasterPid = await postmasterOf(database);
    const load: LoadOptions = {
      script: programs.load,
      keys,
      milliseconds: options.milliseconds,
      warmUpMilliseconds,
      postmasterPid,
    };
    const { rows, failures } = await measureRows(work, databaseUrl, load);
    for (const rowCase of options.profile ? cases : []) {
      for (const line of await profileRow(programs, databaseUrl, folder, rowCase, load)) print(line);
    }
    const result = resultOf(rows, failures, loadavg()[0] ?? Number.NaN);
    if (options.workers.length === 0) return result;
    const workers = await measureWorkers({ programs, databaseUrl, folder, cases: rows.map(({ rowCase }) => rowCase), load, options });
    return {
      ...result,
      otherTables: [...(result.otherTables ?? []), workersTable(workers), estimateTable(workers, options.databaseCores)],
      notes: [estimateNote(options.databaseCores)],
    };
  });
}

/** Starts the servers, checks and measures all rows. @throws {Error} if a row fails without --keep-going. */
async function measureRows(work: Work, databaseUrl: string, load: LoadOptions) {
  const { database, folder, programs, cases, options } = work;
  const failures: RowFailure[] = [];
  const attempt = async <T>({ row }: RowCase, step: () => Promise<T>): Promise<T | null> => {
    try {
      return await step();
    } catch (error) {
      if (!options.keepGoing) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      print(`Row ${row} failed: ${reason}`);
      failures.push({ row, reason });
      return null;
    }
  };
  const servers = await startServers({ programs, database, databaseUrl, folder, cases, withPeers: options.peers });
  try {
    const checked: { readonly rowCase: RowCase; readonly bareCheck: BareCheck | null }[] = [];
    // All rows are checked before the first one is measured, so that a failure ends a long run early.
    for (const rowCase of cases) {
      const found = await attempt(rowCase, async () => ({ rowCase, bareCheck: await checkRow(work, servers, rowCase, databaseUrl, load) }));
      if (found !== null) checked.push(found);
    }
    const counts = await countAll(
      work,
      checked.map(({ rowCase }) => rowCase),
      load.keys[0] ?? "",
    );
    const rows: RowFigures[] = [];
    for (const { rowCase, bareCheck } of checked) {
      const figures = await attempt(rowCase, () => measureRow(rowCase, servers, load, options));
      const statements = counts.get(rowCase);
      if (figures === null || statements === undefined) continue;
      const peers = await attempt(rowCase, () => measurePeers(rowCase, servers, load, options));
      const row = { ...figures, statements, bareCheck, peers };
      rows.push(row);
      const { rate, latency, cpu } = summaryOf(row);
      const cpuRatio = cpu === null ? "" : `, CPU ratio ${rounded(cpu)}`;
      print(`Row ${rowCase.row}: ratio ${rounded(rate.median)}, latency ratio ${rounded(latency)}${cpuRatio}`);
    }
    return { rows, failures };
  } finally {
    await servers.stop();
  }
}

/** Compares the bodies of all servers, writes the plan if requested, and compares the bare server with pgbench. */
async function checkRow(
  { database, folder, options }: Work,
  { product, cached, bare, express }: Servers,
  rowCase: RowCase,
  databaseUrl: string,
  load: LoadOptions,
): Promise<BareCheck | null> {
  for (const other of [bare, express, cached]) {
    await compareBytes(rowCase, { product: product.port, other: other.port }, load.keys[0] ?? "");
  }
  if (options.explain) await writePlan(database, rowCase);
  return checkBare(rowCase, { bare, databaseUrl, load, folder, keepGoing: options.keepGoing });
}

/** Counts the statements of each row with a separate server that connects to the database through a proxy. */
async function countAll(work: Work, cases: readonly RowCase[], key: string): Promise<ReadonlyMap<RowCase, RequestStatements>> {
  const proxy = await startStatementProxy(work.server.urlOf(work.name));
  try {
    return await countThrough(proxy, work, cases, key);
  } finally {
    proxy.stop();
  }
}

async function countThrough(
  proxy: StatementProxy,
  { folder, programs, options }: Work,
  cases: readonly RowCase[],
  key: string,
): Promise<ReadonlyMap<RowCase, RequestStatements>> {
  const serverFolder = join(folder, "counted");
  mkdirSync(serverFolder);
  const product = await startProduct(programs, proxy.url, serverFolder);
  try {
    const counts = new Map<RowCase, RequestStatements>();
    for (const rowCase of cases) {
      const count = await countStatements(rowCase, product.port, key, proxy);
      counts.set(rowCase, count);
      if (!options.profile) continue;
      print(`\nStatements of a request to row ${rowCase.row} (${rowCase.name})`);
      for (const line of describeStatements(count, 400)) print(line);
    }
    return counts;
  } finally {
    await product.stop();
  }
}
