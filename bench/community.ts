import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { addProtocol } from "./community/catch-up.ts";
import { compareDeclarations } from "./community/compare-declarations.ts";
import { type EventChainSize, startEventChain } from "./community/event-chain.ts";
import { plannedProtocols } from "./community/plans.ts";
import { serveProtocols } from "./community/serve.ts";
import type { BenchResult } from "./result.ts";
import { numberOption } from "./support/number-option.ts";
import { type BenchServer, startBenchServer } from "./support/server.ts";

const help = `npm run bench -- community [options]
  --only serve|index|add   one part: serving the live operations, indexing with and without declarations, or adding a protocol to an index
  --events N               protocol events of the served index (default: 2000000)
  --seed N                 seed of the generated indexes (default: 1)
  --protocols A,B          ids of the protocols whose events are generated (default: all that have SQL)
  --operation TEXT         only operations whose name contains the text, such as "protocol_06 balances"
  --times N                requests per endpoint case (default: 31)
  --logs N                 logs of the index to which a protocol is added (default: 1000000)
  --added ID               id of the protocol that is added (default: protocol_06)
  --indexed N              protocol events of the indexed chain, at least the first ones of each market (default: 40000)
  --blocks N               blocks of the indexed chain (default: 3000)
  --runs N                 runs that add the protocol, and indexing runs with and without declarations, each (default: 3)
  --data FOLDER            folder of the generated indexes, stored between runs (default: ASHLAR_BENCH_DIR, else in the system's temporary directory)
`;
/** Benchmark data can be rebuilt and need not survive a power failure. */
const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", maintenance_work_mem: "512MB" };

/** Measures declared protocols. */
export async function run(args: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string" },
      events: { type: "string", default: "2000000" },
      seed: { type: "string", default: "1" },
      protocols: { type: "string", default: "" },
      operation: { type: "string", default: "" },
      times: { type: "string", default: "31" },
      logs: { type: "string", default: "1000000" },
      added: { type: "string", default: "protocol_06" },
      indexed: { type: "string", default: "40000" },
      blocks: { type: "string", default: "3000" },
      runs: { type: "string", default: "3" },
      data: { type: "string", default: process.env.ASHLAR_BENCH_DIR ?? join(tmpdir(), "ashlar-bench-community") },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return { table: [], figures: {}, missed: [] };
  }
  const { only } = values;
  if (only !== undefined && only !== "serve" && only !== "index" && only !== "add")
    throw new Error(`Invalid value "${only}" for --only: expected serve, index or add`);
  const seed = numberOption(values, "seed");
  const protocols = values.protocols.split(",").filter((id) => id !== "");
  const parts: Readonly<Record<string, () => Promise<BenchResult>>> = {
    serve: () =>
      onServer(values.data, (server) =>
        serveProtocols(server, {
          seed,
          events: numberOption(values, "events"),
          protocols,
          nameFilter: values.operation,
          times: numberOption(values, "times"),
        }),
      ),
    add: () =>
      onServer(values.data, (server) =>
        inFolder((folder) =>
          addProtocol(
            server,
            { seed, events: numberOption(values, "logs"), protocols, added: values.added },
            folder,
            numberOption(values, "runs"),
          ),
        ),
      ),
    index: () =>
      inFolder((folder) =>
        benchIndexing(
          folder,
          protocols,
          { events: numberOption(values, "indexed"), blocks: numberOption(values, "blocks") },
          numberOption(values, "runs"),
        ),
      ),
  };
  const results: BenchResult[] = [];
  for (const [name, part] of Object.entries(parts)) if (only === undefined || only === name) results.push(await part());
  const [{ table } = { table: [] }, ...others] = results;
  return {
    table,
    otherTables: [...(results[0]?.otherTables ?? []), ...others.map((result) => result.table)],
    figures: Object.assign({}, ...results.map(({ figures }) => figures)),
    missed: results.flatMap(({ missed }) => missed),
  };
}

/** Runs work on a server with the generated indexes. */
async function onServer<T>(folder: string, work: (server: BenchServer) => Promise<T>): Promise<T> {
  const server = await startBenchServer(folder, settings);
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "ashlar-bench-community-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Measures indexing on a server with default, durable settings. */
async function benchIndexing(folder: string, ids: readonly string[], size: EventChainSize, runs: number): Promise<BenchResult> {
  const planned = plannedProtocols(ids);
  const server = await startBenchServer(join(folder, "database"));
  try {
    const chain = await startEventChain(planned, size, join(folder, "node"));
    try {
      return await compareDeclarations(server, chain, planned, join(folder, "compiled"), runs);
    } finally {
      await chain.stop();
    }
  } finally {
    await server.stop();
  }
}
