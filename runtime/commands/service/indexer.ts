import process from "node:process";
import { createChannel } from "../../cluster/channel.ts";
import { exitWithParent } from "../../cluster/exit-with-parent.ts";
import type { Protocol } from "../../declarations/protocol.ts";
import { createLogger } from "../../logger.ts";
import type { IndexerMetrics } from "../../metrics/indexer-metrics.ts";
import { loadProtocols } from "../../protocols.ts";
import { type CurrentAddresses, createCurrentAddresses } from "../database-address.ts";
import { createDiskSpace } from "../disk-space.ts";
import { runIndexers } from "../index-chains.ts";
import type { IndexDatabases } from "../index-database.ts";
import { openTracing } from "../open-tracing.ts";
import { indexingPool } from "../pools.ts";
import type { Progress } from "../progress.ts";
import { settlesWithin } from "../shutdown.ts";
import type { IndexerFunctions, IndexerStartOptions, SupervisorFunctions } from "./ipc-functions.ts";

/** Less than the supervisor's timeout: a job may run a long statement, or wait for a slow host. */
const stopMilliseconds = 10_000;

const stop = new AbortController();
let metrics: IndexerMetrics | undefined;
let address: CurrentAddresses | undefined;
let indexing: Promise<void> = Promise.resolve();

const functions: IndexerFunctions = {
  async start(work) {
    address = createCurrentAddresses(work.database);
    const { pools, shardPools } = work;
    const database = indexingPool(address.server, pools.indexing);
    const shards = address.shards.map(({ name, address: { get, server } }) => ({
      name,
      address: get,
      indexing: indexingPool(server, shardPools[name]?.indexing ?? pools.indexing),
    }));
    const byShard = Object.fromEntries(shards.map((shard) => [`indexing of ${shard.name}`, shard.indexing]));
    if (work.config.metrics !== undefined)
      metrics = (await import("../../metrics/indexer-metrics.ts")).createIndexerMetrics("indexer", { indexing: database, ...byShard });
    indexing = index(work, loadProtocols(work.config).protocols, { indexing: database, readerRole: work.readerRole, shards });
  },
  changeDatabase: (changed) => address?.change(changed),
  metrics: async () => (await metrics?.collect()) ?? [],
  ping: () => undefined,
  async stop() {
    stop.abort();
    // A transaction that is still open is rolled back, as if the process were killed.
    await settlesWithin(indexing, stopMilliseconds);
    process.exit(0);
  },
};

exitWithParent();
const supervisor = createChannel<SupervisorFunctions>(process, functions);

/** Indexes the chains until the process is stopped; reports if all of them have failed. */
async function index(
  { config, chains, endsOnFatalFailure }: IndexerStartOptions,
  protocols: readonly Protocol[],
  database: IndexDatabases,
): Promise<void> {
  process.title = "ashlar indexer";
  const logger = createLogger({ logLevel: config.logLevel, logFormat: "json", process: "indexer" });
  const progress: Progress = {
    report: (task, done, total, pace) => supervisor.post("report", { task, done, total, ...(pace === undefined ? {} : { pace }) }),
    print: (line) => supervisor.post("print", line),
    end: () => undefined,
  };
  const tracing = await openTracing(config, "indexer", logger);
  try {
    const options = {
      chains,
      protocols,
      database,
      diskSpace: createDiskSpace(config),
      logger,
      progress,
      endsOnFatalFailure,
      countsOf: metrics?.countsOf,
      tracer: tracing?.tracer,
    };
    await runIndexers(options, stop.signal);
  } catch (error) {
    supervisor.post("fail", error instanceof Error ? error.message : String(error));
  }
  await tracing?.close();
  await Promise.all([database, ...(database.shards ?? [])].map(({ indexing: pool }) => pool.close()));
}
