import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Database } from "../runtime/database/database.ts";
import { queryCases } from "./queries/cases.ts";
import { openEndpointCases } from "./queries/endpoint-cases.ts";
import type { QueryCase } from "./queries/query-case.ts";
import { factsOf, type StoryFacts, type StorySize, storyVersion } from "./queries/story.ts";
import { type BenchResult, median, rounded } from "./result.ts";
import { openCachedIndex } from "./support/cached-index.ts";
import { type Calibration, calibrateByQuery } from "./support/calibration.ts";
import { numberOption } from "./support/number-option.ts";
import { type BenchServer, startBenchServer } from "./support/server.ts";
import { countRows, megabytesOf } from "./support/tables.ts";
import { timeQuery } from "./support/time-query.ts";

const maxGrowth = 2;
/** Heading of the first column. */
const subject = "query functions; HTTP: complete responses";
/** Smaller indexes lack the large wallets and are for experiments only. */
const fullSize = 1_000_000;
/** The index can be generated again, so it need not survive a power failure. */
const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", maintenance_work_mem: "512MB" };

/** A query with its times on both indexes. The target is in milliseconds on this machine. */
interface Measurement {
  readonly name: string;
  readonly target: number | null;
  readonly smaller: Times;
  readonly larger: Times;
}

/** Milliseconds: median and minimum wall time, and median CPU time of database and this process together (null if the system does not report it). */
interface Times {
  readonly clock: number;
  /** Close to the time on an idle machine. */
  readonly min: number;
  readonly cpu: number | null;
}

/** Rows and size of an index. */
interface IndexSize {
  readonly rows: Readonly<Record<string, number>>;
  readonly megabytes: number;
}

/** Measures the queries on a small and a large generated index, stored in ASHLAR_BENCH_DIR (default: in the system's temporary directory). */
export async function run(args: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      transfers: { type: "string", default: "5000000" },
      smaller: { type: "string", default: "1000000" },
      seed: { type: "string", default: "1" },
      times: { type: "string", default: "31" },
      only: { type: "string", default: "" },
    },
  });
  const [small, large] = [values.smaller, values.transfers].map((transfers) => ({
    seed: numberOption(values, "seed"),
    transfers: Number(transfers),
  }));
  if (small === undefined || large === undefined) throw new Error("Expected two index sizes");
  const server = await startBenchServer(process.env.ASHLAR_BENCH_DIR ?? join(tmpdir(), "ashlar-bench-queries"), settings);
  try {
    return await onIndex(server, small, (smaller) =>
      onIndex(server, large, async (larger) => {
        const calibration = await calibrateByQuery(larger.database);
        const measurements: Measurement[] = [];
        for (const [position, queryCase] of larger.cases.entries()) {
          const smallerCase = smaller.cases[position];
          if (smallerCase === undefined || !queryCase.name.includes(values.only)) continue;
          // Measurements alternate between the two indexes, so that other load on the machine affects both alike.
          const smallerTimes = await measure(smaller.database, smallerCase, numberOption(values, "times"), small.transfers >= fullSize);
          const largerTimes = await measure(larger.database, queryCase, numberOption(values, "times"), large.transfers >= fullSize);
          const target = queryCase.targetMilliseconds === null ? null : rounded(queryCase.targetMilliseconds * calibration.factor, 1);
          measurements.push({ name: queryCase.name, target, smaller: smallerTimes, larger: largerTimes });
        }
        return resultOf(measurements, calibration, await sizeOf(smaller.database), await sizeOf(larger.database));
      }),
    );
  } finally {
    await server.stop();
  }
}

/** Runs work on an index of the given size with its query cases. */
async function onIndex<T>(
  server: BenchServer,
  size: StorySize,
  work: (index: { readonly database: Database; readonly cases: readonly QueryCase[] }) => Promise<T>,
): Promise<T> {
  const cached = {
    name: `queries_${size.transfers}`,
    inputs: [storyVersion, size],
    label: `an index with ${size.transfers} transfers`,
    script: new URL("./queries/fill-process.ts", import.meta.url),
    argument: { ...size, chainId: 1 },
  };
  const name = await openCachedIndex(server, cached, (line) => process.stdout.write(`${line}\n`));
  return server.runOn(name, async (database) => {
    const facts: StoryFacts = factsOf(size);
    const endpoints = await openEndpointCases(database, facts);
    try {
      return await work({ database, cases: [...queryCases(database, facts), ...endpoints.cases] });
    } finally {
      await endpoints.close();
    }
  });
}

const sizeOf = async (database: Database): Promise<IndexSize> => ({
  rows: await countRows(database),
  megabytes: await megabytesOf(database),
});

/** Times a query. @throws {Error} if it returns fewer rows than expected on a full-size index. */
async function measure(
  database: Database,
  { name, run: runQuery, minRows }: QueryCase,
  times: number,
  isFullSize: boolean,
): Promise<Times> {
  const { milliseconds, cpu } = await timeQuery(database, runQuery, times, (found) => {
    if (isFullSize && found.length < minRows) throw new Error(`${name} returned ${found.length} rows, expected at least ${minRows}.`);
  });
  return { clock: median(milliseconds), min: Math.min(...milliseconds), cpu: cpu.length === 0 ? null : median(cpu) };
}

/** The ratio of CPU times, which other programs affect far less than wall times; if CPU times are not reported, the ratio of wall times. */
const growthOf = ({ smaller, larger }: Measurement): number =>
  smaller.cpu === null || larger.cpu === null ? larger.clock / smaller.clock : larger.cpu / smaller.cpu;

function resultOf(measurements: readonly Measurement[], calibration: Calibration, small: IndexSize, large: IndexSize): BenchResult {
  const [load = Number.NaN] = loadavg();
  const lines = measurements.map((measurement) => ({ ...measurement, growth: growthOf(measurement) }));
  const largeSizes = { "megabytes on disk": large.megabytes, ...prefixed(large.rows) };
  const smallSizes: Readonly<Record<string, number>> = { "megabytes on disk": small.megabytes, ...prefixed(small.rows) };
  const toCell = (milliseconds: number | null): number | string => (milliseconds === null ? "" : rounded(milliseconds));
  return {
    table: [
      ...lines.map(({ name, target, smaller, larger, growth }) => ({
        [subject]: name,
        "small index ms": rounded(smaller.clock),
        "median ms": rounded(larger.clock),
        "target ms": target ?? "",
        "min ms": rounded(larger.min),
        "small index CPU ms": toCell(smaller.cpu),
        "CPU ms": toCell(larger.cpu),
        growth: rounded(growth),
      })),
      ...Object.entries(largeSizes).map(([name, count]) => ({
        [subject]: name,
        "small index ms": smallSizes[name] ?? 0,
        "median ms": count,
      })),
    ],
    figures: {
      load: rounded(load, 1),
      calibrationMilliseconds: rounded(calibration.milliseconds, 3),
      ...Object.fromEntries(lines.map(({ name, larger }) => [name, rounded(larger.clock)])),
    },
    missed: lines.flatMap(({ name, target, larger, growth }) => [
      ...(target === null || larger.clock < target
        ? []
        : [`${name} took ${rounded(larger.clock)} ms; the target is less than ${target} ms.`]),
      ...(target === null || growth < maxGrowth
        ? []
        : [`${name} takes ${rounded(growth)} times as long as on the smaller index; the target is less than ${maxGrowth} times.`]),
    ]),
  };
}

const prefixed = (rows: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(rows).map(([table, count]) => [`rows of ${table}`, count]));
