import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { queryCases } from "./queries/cases.ts";
import { openKeptIndex } from "./queries/kept-index.ts";
import { factsOf, type StorySize } from "./queries/story.ts";
import { type BenchResult, median, rounded } from "./result.ts";
import { type BenchServer, startBenchServer } from "./support/server.ts";
import { countRows } from "./support/tables.ts";

const mostGrowth = 2;
/** Smaller ones have not the wallets that the queries are about: good for trying things out alone. */
const wholeStory = 1_000_000;
/** What is made can be made again: it need not survive a power failure. */
const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", maintenance_work_mem: "512MB" };

interface Measurement {
  readonly name: string;
  readonly target: number;
  readonly steady: boolean;
  readonly milliseconds: number;
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
    },
  });
  const seed = Number(values.seed);
  const server = await startBenchServer(process.env.ASHLAR_BENCH_DIR ?? join(tmpdir(), "ashlar-bench-queries"), settings);
  try {
    const small = await measureIndex(server, { seed, transfers: Number(values.smaller) }, Number(values.times));
    const large = await measureIndex(server, { seed, transfers: Number(values.transfers) }, Number(values.times));
    return resultOf(small.measurements, large.measurements, large.rows);
  } finally {
    await server.stop();
  }
}

async function measureIndex(server: BenchServer, size: StorySize, times: number) {
  const name = await openKeptIndex(server, size, (line) => process.stdout.write(`${line}\n`));
  return server.on(name, async (database) => {
    const measurements: Measurement[] = [];
    for (const { name, target, steady, ask, rows } of queryCases(database, factsOf(size))) {
      const taken: number[] = [];
      for (let time = -3; time < times; time += 1) {
        const started = performance.now();
        const found = await ask(Math.max(0, time));
        // The first ones bring the pages into memory.
        if (time >= 0) taken.push(performance.now() - started);
        if (size.transfers >= wholeStory && found.length < rows)
          throw new Error(`${name} found ${found.length} rows, and should find ${rows} at least.`);
      }
      measurements.push({ name, target, steady, milliseconds: median(taken) });
    }
    return { measurements, rows: await countRows(database) };
  });
}

function resultOf(small: readonly Measurement[], large: readonly Measurement[], rows: Readonly<Record<string, number>>): BenchResult {
  const [load = Number.NaN] = loadavg();
  const lines = large.map((measurement, position) => {
    const before = small[position]?.milliseconds ?? Number.NaN;
    return { ...measurement, before, growth: measurement.milliseconds / before };
  });
  return {
    table: [
      ...lines.map(({ name, target, milliseconds, before, growth }) => ({
        query: name,
        "smaller ms": rounded(before),
        "median ms": rounded(milliseconds),
        "target ms": target,
        growth: rounded(growth),
      })),
      ...Object.entries(rows).map(([table, count]) => ({ query: `rows of ${table}`, "median ms": count })),
    ],
    figures: { load: rounded(load, 1), ...Object.fromEntries(lines.map(({ name, milliseconds }) => [name, rounded(milliseconds)])) },
    missed: lines.flatMap(({ name, target, milliseconds, steady, growth }) => [
      ...(milliseconds < target ? [] : [`${name} took ${rounded(milliseconds)} ms, not less than ${target}.`]),
      ...(!steady || growth < mostGrowth ? [] : [`${name} takes ${rounded(growth)} times as long as on the smaller index.`]),
    ]),
  };
}
