import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compareDomain } from "./dex/compare-domain.ts";
import { serveMarket } from "./dex/serve.ts";
import { startSwapHistory } from "./dex/swap-chain.ts";
import type { BenchResult } from "./result.ts";
import { numberOption } from "./support/number-option.ts";
import { startBenchServer } from "./support/server.ts";

const help = `npm run bench -- dex [options]
  --only index|serve   one part: indexing with and without exchanges, or serving the endpoints
  --transactions N     transactions of the indexed chain (default: 40000)
  --blocks N           blocks of the indexed chain (default: 3000)
  --runs N             indexing runs with and without exchanges, each (default: 3)
  --swaps N            swaps of the served index (default: 3000000)
  --pools N            pools of the served index (default: 5000)
  --seed N             seed of the served index (default: 1)
  --times N            requests per endpoint case (default: 31)
  --jobs               run the jobs again, even if an earlier run did, and time them
  --data FOLDER        folder of the generated index, stored between runs (default: ASHLAR_BENCH_DIR, else in the system's temporary directory)
`;
/** Benchmark data can be rebuilt and need not survive a power failure. */
const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", maintenance_work_mem: "512MB" };
const emptyResult: BenchResult = { table: [], figures: {}, missed: [] };

/** Measures the cost of exchanges: indexing a chain with and without their projections, and their endpoints on a large generated index. */
export async function run(args: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string" },
      transactions: { type: "string", default: "40000" },
      blocks: { type: "string", default: "3000" },
      runs: { type: "string", default: "3" },
      swaps: { type: "string", default: "3000000" },
      pools: { type: "string", default: "5000" },
      seed: { type: "string", default: "1" },
      times: { type: "string", default: "31" },
      jobs: { type: "boolean", default: false },
      data: { type: "string", default: process.env.ASHLAR_BENCH_DIR ?? join(tmpdir(), "ashlar-bench-dex") },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return emptyResult;
  }
  const { only } = values;
  if (only !== undefined && only !== "index" && only !== "serve") {
    throw new Error(`Invalid value "${only}" for --only: expected index or serve`);
  }
  const history = { transactions: numberOption(values, "transactions"), blocks: numberOption(values, "blocks") };
  const indexed = only === "serve" ? emptyResult : await benchIndexing(history, numberOption(values, "runs"));
  if (only === "index") return indexed;
  const market = { swaps: numberOption(values, "swaps"), pools: numberOption(values, "pools"), seed: numberOption(values, "seed") };
  const served = await serve(values.data, { ...market, times: numberOption(values, "times"), rerunJobs: values.jobs });
  return {
    table: indexed.table,
    otherTables: [served.table],
    figures: { ...indexed.figures, ...served.figures },
    missed: [...indexed.missed, ...served.missed],
  };
}

async function benchIndexing(size: Parameters<typeof startSwapHistory>[0], runs: number): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), "ashlar-bench-dex-"));
  const server = await startBenchServer(folder);
  try {
    const chain = await startSwapHistory(size, join(folder, "node"));
    try {
      return await compareDomain(server, chain, join(folder, "compiled"), runs);
    } finally {
      await chain.stop();
    }
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function serve(folder: string, options: Parameters<typeof serveMarket>[1]): Promise<BenchResult> {
  const server = await startBenchServer(folder, settings);
  try {
    return await serveMarket(server, options);
  } finally {
    await server.stop();
  }
}
