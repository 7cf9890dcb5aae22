import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Database } from "../runtime/database/database.ts";
import { queryCases } from "./queries/cases.ts";
import { openEndpointCases } from "./queries/endpoint-cases.ts";
import type { QueryCase } from "./queries/query-case.ts";
import { factsOf, type StoryFacts, type StorySize, storyVersion } from "./queries/story.ts";
import { type BenchResult, median, rounded } from "./result.ts";
import { type Calibration, calibrateByQuery } from "./support/calibration.ts";
import { openKeptIndex } from "./support/kept-index.ts";
import { startProcessorClock } from "./support/processor-time.ts";
import { type BenchServer, startBenchServer } from "./support/server.ts";
import { countRows, megabytesOf } from "./support/tables.ts";

const maxGrowth = 2;
/** The heading says what is measured. */
const subject = "query functions; HTTP: whole answers";
/** Smaller ones have not the wallets that the queries are about: good for trying things out alone. */
const wholeStory = 1_000_000;
/** What is made can be made again: it need not survive a power failure. */
const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", maintenance_work_mem: "512MB" };

/** A query with its times on both indexes; the target in milliseconds of this machine. */
interface Measurement {
  readonly name: string;
  readonly target: number | null;
  readonly smaller: Taken;
  readonly larger: Taken;
}

/** Milliseconds: the median and the least on the clock, and the median of processors, the database's and this process's together (null where the system does not say). */
interface Taken {
  readonly clock: number;
  /** What a machine without other work would come near to. */
  readonly least: number;
  readonly processor: number | null;
}

/** What an index holds. */
interface IndexSize {
  readonly rows: Readonly<Record<string, number>>;
  readonly megabytes: number;
}

/** The queries on a small and a large generated index, which are kept in ASHLAR_BENCH_DIR (else a folder of the system's for such). */
export async function run(words: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...words],
    options: {
      transfers: { type: "string", default: "5000000" },
      smaller: { type: "string", default: "1000000" },
      seed: { type: "string", default: "1" },
      times: { type: "string", default: "31" },
      only: { type: "string", default: "" },
    },
  });
  const [small, large] = [values.smaller, values.transfers].map((transfers) => ({
    seed: Number(values.seed),
    transfers: Number(transfers),
  }));
  if (small === undefined || large === undefined) throw new Error("Two sizes are measured.");
  const server = await startBenchServer(process.env.ASHLAR_BENCH_DIR ?? join(tmpdir(), "ashlar-bench-queries"), settings);
  try {
    return await onIndex(server, small, (smaller) =>
      onIndex(server, large, async (larger) => {
        const calibration = await calibrateByQuery(larger.database);
        const measurements: Measurement[] = [];
        for (const [position, question] of larger.questions.entries()) {
          const same = smaller.questions[position];
          if (same === undefined || !question.name.includes(values.only)) continue;
          // One index right after the other, so that both meet the same neighbours on the machine.
          const before = await measure(smaller.database, same, Number(values.times), small.transfers >= wholeStory);
          const after = await measure(larger.database, question, Number(values.times), large.transfers >= wholeStory);
          const target = question.target === null ? null : rounded(question.target * calibration.factor, 1);
          measurements.push({ name: question.name, target, smaller: before, larger: after });
        }
        return resultOf(measurements, calibration, await sizeOf(smaller.database), await sizeOf(larger.database));
      }),
    );
  } finally {
    await server.stop();
  }
}

/** Runs work on the index of a size, with the questions to it. */
async function onIndex<T>(
  server: BenchServer,
  size: StorySize,
  work: (index: { readonly database: Database; readonly questions: readonly QueryCase[] }) => Promise<T>,
): Promise<T> {
  const kept = {
    name: `queries_${size.transfers}`,
    madeFrom: [storyVersion, size],
    label: `an index with ${size.transfers} transfers`,
    script: new URL("./queries/fill-process.ts", import.meta.url),
    argument: { ...size, chainId: 1 },
  };
  const name = await openKeptIndex(server, kept, (line) => process.stdout.write(`${line}\n`));
  return server.on(name, async (database) => {
    const facts: StoryFacts = factsOf(size);
    const endpoints = await openEndpointCases(database, facts);
    try {
      return await work({ database, questions: [...queryCases(database, facts), ...endpoints.cases] });
    } finally {
      await endpoints.close();
    }
  });
}

const sizeOf = async (database: Database): Promise<IndexSize> => ({
  rows: await countRows(database),
  megabytes: await megabytesOf(database),
});

/** What a question takes. @throws where an answer has fewer rows than a whole story gives it. */
async function measure(database: Database, { name, ask, rows }: QueryCase, times: number, whole: boolean): Promise<Taken> {
  const clock: number[] = [];
  const processor: number[] = [];
  // The first ones bring the pages into memory, and open the connections.
  for (let warming = 0; warming < 3; warming += 1) await ask(0);
  for (let time = 0; time < times; time += 1) {
    const processorTime = await startProcessorClock(database);
    const started = performance.now();
    const found = await ask(time);
    clock.push(performance.now() - started);
    const taken = processorTime();
    if (taken !== null) processor.push(taken);
    if (whole && found.length < rows) throw new Error(`${name} found ${found.length} rows, and should find ${rows} at least.`);
  }
  return { clock: median(clock), least: Math.min(...clock), processor: processor.length === 0 ? null : median(processor) };
}

/** Other programs on the machine disturb the clock far more than processor time: by that where the system tells it. */
const growthOf = ({ smaller, larger }: Measurement): number =>
  smaller.processor === null || larger.processor === null ? larger.clock / smaller.clock : larger.processor / smaller.processor;

function resultOf(measurements: readonly Measurement[], calibration: Calibration, small: IndexSize, large: IndexSize): BenchResult {
  const [load = Number.NaN] = loadavg();
  const lines = measurements.map((measurement) => ({ ...measurement, growth: growthOf(measurement) }));
  const sizes = { "megabytes on disk": large.megabytes, ...prefixed(large.rows) };
  const before: Readonly<Record<string, number>> = { "megabytes on disk": small.megabytes, ...prefixed(small.rows) };
  const shown = (milliseconds: number | null): number | string => (milliseconds === null ? "" : rounded(milliseconds));
  return {
    table: [
      ...lines.map(({ name, target, smaller, larger, growth }) => ({
        [subject]: name,
        "smaller ms": rounded(smaller.clock),
        "median ms": rounded(larger.clock),
        "target ms": target ?? "",
        "least ms": rounded(larger.least),
        "smaller CPU ms": shown(smaller.processor),
        "CPU ms": shown(larger.processor),
        growth: rounded(growth),
      })),
      ...Object.entries(sizes).map(([what, count]) => ({ [subject]: what, "smaller ms": before[what] ?? 0, "median ms": count })),
    ],
    figures: {
      load: rounded(load, 1),
      calibrationMilliseconds: rounded(calibration.milliseconds, 3),
      ...Object.fromEntries(lines.map(({ name, larger }) => [name, rounded(larger.clock)])),
    },
    missed: lines.flatMap(({ name, target, larger, growth }) => [
      ...(target === null || larger.clock < target ? [] : [`${name} took ${rounded(larger.clock)} ms, not less than ${target}.`]),
      ...(target === null || growth < maxGrowth ? [] : [`${name} takes ${rounded(growth)} times as long as on the smaller index.`]),
    ]),
  };
}

const prefixed = (rows: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(rows).map(([table, count]) => [`rows of ${table}`, count]));
