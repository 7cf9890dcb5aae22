import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Database } from "../runtime/database/database.ts";
import { createKeys } from "../runtime/http/keys.ts";
import { factsOf } from "./queries/story.ts";
import type { BenchResult } from "./result.ts";
import { parseUrl, routeOf } from "./serve/bare/routes.ts";
import { rowCases } from "./serve/cases.ts";
import { connectionsPerKey, type LoadOptions, measureCell } from "./serve/cells.ts";
import { compareBytes } from "./serve/compare-bytes.ts";
import { countStatements, describeStatements, type RequestStatements } from "./serve/count-statements.ts";
import { byFunction, byModule, sharesOf } from "./serve/cpu-profile.ts";
import { type Comparison, type RowFigures, resultOf } from "./serve/figures.ts";
import { openServedIndex } from "./serve/index.ts";
import { findPgbench, runPgbench } from "./serve/pgbench.ts";
import { type ServerProcess, startProcess } from "./serve/processes.ts";
import { compilePrograms, type Programs, startProduct } from "./serve/product.ts";
import type { RowCase } from "./serve/row-case.ts";
import { startStatementProxy } from "./serve/statement-proxy.ts";
import { parentOf } from "./support/cpu-time.ts";
import { type BenchServer, startBenchServer } from "./support/server.ts";

const statementsFolder = fileURLToPath(new URL("./serve/statements/", import.meta.url));
/** The index can be generated again, so it need not survive a power failure. */
const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", maintenance_work_mem: "512MB" };
const barePoolSize = 8;
const profiledConnections = 32;
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
    },
  });
  const options: Options = {
    milliseconds: Number(values.seconds) * 1000,
    connections: values.connections.split(",").map(Number),
    rows: values.rows.split(",").filter((row) => row !== ""),
    profile: values.profile,
    explain: values.explain,
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

/** Starts both servers, and measures all rows. */
async function compare(work: Work): Promise<BenchResult> {
  const { server, name, database, folder, programs, cases, options } = work;
  const databaseUrl = server.urlOf(name);
  const keys = createKeys(database);
  const created = await Promise.all(
    Array.from({ length: Math.ceil(Math.max(...options.connections) / connectionsPerKey) }, (_, index) =>
      keys.create({ label: `bench ${index}` }),
    ),
  );
  const secrets = created.map(({ key }) => key);
  const product = await startProduct(programs, databaseUrl, folder);
  const bareArgument = { databaseUrl, poolSize: barePoolSize, statements: statementsFolder };
  const bare = await startProcess([fileURLToPath(programs.bare), JSON.stringify(bareArgument)], {}, join(folder, "bare.log"));
  try {
    const counts = await countAll(work, secrets[0] ?? "");
    const load: LoadOptions = {
      script: programs.load,
      keys: secrets,
      milliseconds: options.milliseconds,
      warmUpMilliseconds,
      postmaster: await postmasterOf(database),
    };
    const rows: RowFigures[] = [];
    for (const [position, rowCase] of cases.entries()) {
      await compareBytes(rowCase, { product: product.port, bare: bare.port }, secrets[0] ?? "");
      if (options.explain) await writePlan(database, rowCase);
      const comparisons: Comparison[] = [];
      for (const connections of options.connections.filter((count) => count <= (rowCase.maxConnections ?? count))) {
        const warmUp = comparisons.length === 0 ? firstWarmUpMilliseconds : warmUpMilliseconds;
        comparisons.push(await compareCell(product, bare, rowCase, connections, { ...load, warmUpMilliseconds: warmUp }));
      }
      const statements = counts[position];
      if (statements === undefined) throw new Error(`The statements of row ${rowCase.row} were not counted.`);
      rows.push({ rowCase, comparisons, statements, pgbench: await measurePgbench(work, rowCase, databaseUrl) });
    }
    if (options.profile) await profileAll(work, load);
    return resultOf(rows, loadavg()[0] ?? Number.NaN);
  } finally {
    await product.stop();
    await bare.stop();
    const ids = created.map(({ id }) => id);
    await database.query("DELETE FROM credit_usage WHERE key_id = ANY ($1::int8[])", [ids]);
    await database.query("DELETE FROM api_keys WHERE id = ANY ($1::int8[])", [ids]);
  }
}

const compareCell = async (
  product: ServerProcess,
  bare: ServerProcess,
  rowCase: RowCase,
  connections: number,
  load: LoadOptions,
): Promise<Comparison> => ({
  connections,
  product: await measureCell(product, rowCase, connections, load),
  bare: await measureCell(bare, rowCase, connections, load),
});

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

/** The requests of a row as values of its statement. */
const valuesOf = ({ paths }: RowCase): readonly (readonly (string | number)[])[] =>
  paths.map((path) => {
    const request = parseUrl(path, Math.floor(Date.now() / 1000));
    return routeOf(request)?.values(request) ?? [];
  });

const statementOf = ({ paths }: RowCase): string => routeOf(parseUrl(paths[0] ?? "", 0))?.statement ?? "";
const sqlOf = (rowCase: RowCase): string => readFileSync(join(statementsFolder, `${statementOf(rowCase)}.sql`), "utf8");

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

/** Writes the generic plan of a statement beside it. */
async function writePlan(database: Database, rowCase: RowCase): Promise<void> {
  const plan = await database.transaction(async (client) => {
    await client.query("SET LOCAL plan_cache_mode = force_generic_plan");
    const values = (valuesOf(rowCase)[0] ?? []).map((value) => (typeof value === "number" ? String(value) : `'${value}'`)).join(", ");
    await client.query(`PREPARE bench AS ${sqlOf(rowCase)}`);
    const rows = await client.query<{ "QUERY PLAN": string }>(`EXPLAIN (ANALYZE, BUFFERS) EXECUTE bench (${values})`);
    await client.query("DEALLOCATE bench");
    return rows.map((row) => row["QUERY PLAN"]);
  });
  writeFileSync(join(statementsFolder, `${statementOf(rowCase)}.explain.txt`), `${plan.join("\n")}\n`);
}

/** Profiles the product under each row, and prints the shares of functions and modules. */
async function profileAll({ server, name, folder, programs, cases }: Work, load: LoadOptions): Promise<void> {
  for (const rowCase of cases) {
    const own = join(folder, `profile-${rowCase.row}`);
    mkdirSync(own);
    const product = await startProduct(programs, server.urlOf(name), own, ["--cpu-prof", `--cpu-prof-dir=${own}`]);
    await measureCell(product, rowCase, profiledConnections, { ...load, milliseconds: 8_000 }).finally(() => product.stop());
    const root = join(folder, "programs");
    print(`\nProfile of row ${rowCase.row} (${rowCase.name}): share of self and total time`);
    const percent = (share: number): string => `${(share * 100).toFixed(1).padStart(5)} %`;
    for (const { name: module, self, total } of sharesOf(own, byModule(root)).slice(0, 40))
      print(`${percent(self)} ${percent(total)} ${module}`);
    print("");
    const shares = sharesOf(own, byFunction(root));
    for (const { name: frame, self, total } of shares.slice(0, 60)) print(`${percent(self)} ${percent(total)} ${frame}`);
    print("\nby total");
    for (const { name: frame, self, total } of shares.toSorted((left, right) => right.total - left.total).slice(0, 60))
      print(`${percent(self)} ${percent(total)} ${frame}`);
  }
}
