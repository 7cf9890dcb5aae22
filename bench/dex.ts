import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { serveMarket } from "./dex/serve.ts";
import type { BenchResult } from "./result.ts";
import { startBenchServer } from "./support/server.ts";

/** What is made can be made again: it need not survive a power failure. */
const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", maintenance_work_mem: "512MB" };

/** What exchanges cost: an index with their projections against the same chain without, and the answers about them on a large generated index. */
export async function run(words: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...words],
    options: {
      swaps: { type: "string", default: "3000000" },
      pools: { type: "string", default: "5000" },
      seed: { type: "string", default: "1" },
      times: { type: "string", default: "31" },
      chores: { type: "boolean", default: false },
      data: { type: "string", default: process.env.ASHLAR_BENCH_DIR ?? join(tmpdir(), "ashlar-bench-dex") },
    },
  });
  const server = await startBenchServer(values.data, settings);
  try {
    return await serveMarket(server, {
      swaps: Number(values.swaps),
      pools: Number(values.pools),
      seed: Number(values.seed),
      times: Number(values.times),
      again: values.chores,
    });
  } finally {
    await server.stop();
  }
}
