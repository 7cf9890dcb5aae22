import type { ChildProcess } from "node:child_process";
import { type Channel, createChannel, DisconnectedError } from "../../cluster/channel.ts";
import { type ConnectionDistributor, openConnectionDistributor } from "../../cluster/connection-distributor.ts";
import type { ConnectionWorker } from "../../cluster/sent-connections.ts";
import { type SupervisedProcess, superviseProcess } from "../../cluster/supervise.ts";
import { createKeyMeter, type KeyMeter } from "../../http/key-meter.ts";
import type { Metrics } from "../../metrics/start-metrics.ts";
import type { ApiServer } from "../api-server.ts";
import { CommandError } from "../command-error.ts";
import { listenOf, listenProblem, urlOf } from "../listening.ts";
import type { ServiceDatabases } from "../open-database.ts";
import type { PrimaryFunctions, WorkerFunctions, WorkerStartOptions } from "./ipc-functions.ts";
import { createMeterFunctions } from "./remote-meter.ts";
import type { ServiceLog } from "./service-log.ts";
import type { ServiceProcesses } from "./service-processes.ts";

export interface WorkersOptions extends Pick<WorkerStartOptions, "config" | "chains" | "demo"> {
  readonly database: Pick<ServiceDatabases, "serving" | "address" | "onAddressChange" | "plan" | "shards">;
  readonly log: ServiceLog;
  readonly processes: Pick<ServiceProcesses, "workers">;
  readonly metrics?: Pick<Metrics, "addChild"> | undefined;
}

/**
 * A worker whose event loop is blocked for this long is replaced. A worker's longest garbage collections and synchronous work take less than a second, or
 * several seconds on a slow machine. Meanwhile, connections go to other workers after one second.
 */
const maxSilentSeconds = 20;

interface Worker {
  readonly channel: Channel<WorkerFunctions>;
  readonly connections: ConnectionWorker;
  /** Ends the requests that were in flight when the worker exited. */
  readonly endRequests: () => void;
}

/** Starts a server's workers: this process is their primary, which listens and distributes connections to them. @throws {CommandError} */
export async function startWorkers(options: WorkersOptions): Promise<ApiServer> {
  const { config, database, log } = options;
  const connections = await openConnectionDistributor(listenOf(config), { onError: logAcceptError(log) }).catch(
    (error: NodeJS.ErrnoException) => {
      throw new CommandError(listenProblem(error, config));
    },
  );
  // Keys' requests and credits are counted here, for all workers.
  const meter = createKeyMeter({ limits: config.limits, database: database.serving, logger: log.logger });
  const running = new Map<ChildProcess, Worker>();
  const channels = (): readonly Channel<WorkerFunctions>[] => [...running.values()].map(({ channel }) => channel);
  const primary = { ...options, connections, running, meter };
  const workers = options.processes.workers.map((worker) => superviseWorker(primary, worker));
  const stop = async (): Promise<void> => {
    connections.close();
    await Promise.all(workers.map((worker) => worker.stop((child) => running.get(child)?.channel.post("stop", null))));
    await meter.stop();
  };
  database.onAddressChange(() => {
    for (const channel of channels()) channel.post("changeDatabase", database.address());
  });
  try {
    await Promise.all(workers.map(({ started }) => started));
  } catch (error) {
    await stop();
    throw new CommandError(error instanceof Error ? error.message : String(error));
  }
  const callAll = <T>(call: (channel: Channel<WorkerFunctions>) => Promise<T>, fallback: T): Promise<T[]> =>
    // A worker may exit before it responds.
    Promise.all(channels().map((channel) => call(channel).catch(() => fallback)));
  return {
    url: urlOf(connections.address),
    isReady: async () => (await callAll((channel) => channel.call("isReady", null), false)).includes(true),
    countRequestsInFlight: async () =>
      (await callAll((channel) => channel.call("countRequestsInFlight", null), 0)).reduce((sum, count) => sum + count, 0),
    stop,
  };
}

const logAcceptError =
  ({ logger }: ServiceLog) =>
  (error: Error): void =>
    logger.error(`Accepting a connection failed: ${error.message}`);

interface Primary extends WorkersOptions {
  readonly connections: ConnectionDistributor;
  readonly running: Map<ChildProcess, Worker>;
  readonly meter: KeyMeter;
}

function superviseWorker(
  { connections, running, meter, log, database, config, chains, demo, metrics }: Primary,
  { name, fork }: ServiceProcesses["workers"][number],
): SupervisedProcess {
  let current: Worker | undefined;
  const source = metrics?.addChild(name, async () => {
    if (current === undefined) throw new DisconnectedError();
    return current.channel.call("metrics", null);
  });
  const createWorker = (child: ChildProcess): Worker => {
    const { endAll, ...metering } = createMeterFunctions(meter);
    const channel = createChannel<WorkerFunctions>(child, {
      ...metering,
      reportConnections: (report) => connections.report(worker.connections, report),
    } satisfies PrimaryFunctions);
    const worker: Worker = {
      channel,
      connections: { send: (socket, sent) => channel.post("connection", sent, socket) },
      endRequests: endAll,
    };
    return worker;
  };
  return superviseProcess({
    name,
    logger: log.logger,
    fork,
    async initialize(child) {
      const worker = createWorker(child);
      running.set(child, worker);
      current = worker;
      const shardPools = Object.fromEntries(database.shards.map((shard) => [shard.name, shard.plan.worker]));
      await worker.channel.call("start", {
        name,
        pools: database.plan.worker,
        shardPools,
        config,
        chains,
        demo,
        database: database.address(),
      });
      connections.add(worker.connections);
    },
    heartbeat: { ping: async (child) => running.get(child)?.channel.call("ping", null), maxSilentSeconds },
    onExit(child) {
      const worker = running.get(child);
      running.delete(child);
      current = undefined;
      source?.recordExit();
      if (worker === undefined) return;
      worker.endRequests();
      connections.remove(worker.connections);
    },
  });
}
