import type { ChildProcess } from "node:child_process";
import { type Channel, createChannel, DisconnectedError } from "../../cluster/channel.ts";
import { superviseProcess } from "../../cluster/supervise.ts";
import type { Metrics } from "../../metrics/start-metrics.ts";
import { CommandError } from "../command-error.ts";
import type { ServiceDatabases } from "../open-database.ts";
import type { Progress } from "../progress.ts";
import type { IndexerFunctions, IndexerStartOptions, SupervisorFunctions } from "./ipc-functions.ts";
import type { ServiceLog } from "./service-log.ts";
import type { ServiceProcesses } from "./service-processes.ts";

/** An indexer whose event loop is blocked for this long is replaced: a multiple of a batch's longest synchronous work on a slow machine. */
const maxSilentSeconds = 120;

export interface IndexerOptions extends Pick<IndexerStartOptions, "config" | "chains" | "endsOnFatalFailure"> {
  readonly database: Pick<ServiceDatabases, "address" | "onAddressChange" | "readerRole" | "plan" | "shards">;
  readonly progress: Progress;
  readonly log: ServiceLog;
  readonly processes: Pick<ServiceProcesses, "indexer">;
  readonly metrics?: Pick<Metrics, "addChild"> | undefined;
}

/**
 * Runs the indexer in a separate process until the signal aborts. @throws {CommandError} if indexing has failed for a reason that a restart would not change
 */
export async function runIndexerProcess(
  { config, chains, endsOnFatalFailure, database, progress, log, processes, metrics }: IndexerOptions,
  signal: AbortSignal,
): Promise<void> {
  const { readerRole } = database;
  let failure: string | null = null;
  const running = new Map<ChildProcess, Channel<IndexerFunctions>>();
  const offered: SupervisorFunctions = {
    report: ({ task, done, total, pace }) => progress.report(task, done, total, pace),
    print: progress.print,
    fail(reason) {
      failure = reason;
      for (const channel of running.values()) channel.post("stop", null);
    },
  };
  const source = metrics?.addChild("indexer", async () => {
    const [channel] = running.values();
    if (channel === undefined) throw new DisconnectedError();
    return channel.call("metrics", null);
  });
  const indexer = superviseProcess({
    name: "indexer",
    logger: log.logger,
    fork: processes.indexer.fork,
    async initialize(child) {
      const channel = createChannel<IndexerFunctions>(child, offered);
      running.set(child, channel);
      await channel.call("start", {
        config,
        chains,
        readerRole,
        endsOnFatalFailure,
        pools: database.plan.indexer,
        shardPools: Object.fromEntries(database.shards.map((shard) => [shard.name, shard.plan.indexer])),
        database: database.address(),
      });
    },
    heartbeat: { ping: async (child) => running.get(child)?.call("ping", null), maxSilentSeconds },
    onExit(child) {
      running.delete(child);
      source?.recordExit();
    },
    mayRestart: () => failure === null,
  });
  database.onAddressChange(() => {
    for (const channel of running.values()) channel.post("changeDatabase", database.address());
  });
  const stop = (): void => void indexer.stop((child) => running.get(child)?.post("stop", null));
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  await indexer.ended;
  signal.removeEventListener("abort", stop);
  if (failure !== null) throw new CommandError(failure);
  if (!signal.aborted) await indexer.started;
}
