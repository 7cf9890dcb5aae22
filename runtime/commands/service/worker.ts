import process from "node:process";
import { createChannel } from "../../cluster/channel.ts";
import { createConnectionReporter } from "../../cluster/connection-reporter.ts";
import { exitWithParent } from "../../cluster/exit-with-parent.ts";
import { isLate } from "../../cluster/sent-connections.ts";
import { configOfDatabase } from "../../config/database-config.ts";
import { monotonicMilliseconds } from "../../lib/monotonic-clock.ts";
import { createLogger } from "../../logger.ts";
import type { ServerMetrics } from "../../metrics/server-metrics.ts";
import { loadProtocols } from "../../protocols.ts";
import { createApiServer, type WorkerApiServer } from "../api-server.ts";
import { type CurrentAddresses, createCurrentAddresses } from "../database-address.ts";
import { servingPoolsOf } from "../open-metrics.ts";
import { openReplicas } from "../open-replicas.ts";
import { openTracing } from "../open-tracing.ts";
import { controlPool, openNotifications, readerPool, servingPool } from "../pools.ts";
import { openServingShards } from "../serving-shards.ts";
import { openShardPools } from "../shard-pools.ts";
import { settlesWithin } from "../shutdown.ts";
import type { PrimaryFunctions, WorkerFunctions, WorkerStartOptions } from "./ipc-functions.ts";
import { createRemoteMeter } from "./remote-meter.ts";

/** A serving worker's state. */
interface Running {
  readonly address: CurrentAddresses;
  readonly serving: WorkerApiServer;
  readonly metrics: ServerMetrics | undefined;
  stop(): Promise<void>;
}

/** Together with the 10 s for requests in flight, less than the primary's timeout. */
const closeMilliseconds = 1_000;

let running: Running | undefined;

const functions: WorkerFunctions = {
  async start(work) {
    running = await createWorker(work);
  },
  connection(sent, socket) {
    if (isLate(sent, monotonicMilliseconds())) {
      // Closes this process's copy of the socket.
      socket?.destroy();
      return connections.declined(sent.id);
    }
    connections.taken(sent.id);
    // The client may have closed the connection before it arrived.
    if (socket === undefined || running === undefined) return connections.closed();
    socket.once("close", connections.closed);
    running.serving.accept(socket);
  },
  changeDatabase: (address) => running?.address.change(address),
  isReady: async () => (await running?.serving.isReady()) ?? false,
  countRequestsInFlight: async () => (await running?.serving.countRequestsInFlight()) ?? 0,
  metrics: async () => (await running?.metrics?.collect()) ?? [],
  ping: () => undefined,
  async stop() {
    await running?.stop();
    process.exit(0);
  },
};

exitWithParent();
const primary = createChannel<PrimaryFunctions>(process, functions);
const connections = createConnectionReporter((report) => primary.post("reportConnections", report));

async function createWorker({ name, pools, shardPools, config, chains, database, demo }: WorkerStartOptions): Promise<Running> {
  process.title = `ashlar ${name}`;
  const logger = createLogger({ logLevel: config.logLevel, logFormat: "json", process: name });
  const address = createCurrentAddresses(database);
  const serving = servingPool(config, address.server, pools.serving);
  const control = controlPool(config, address.server, pools.control);
  const reader = readerPool(config, address.reader, pools.reader);
  const notifications = openNotifications(address.server);
  const replicas = openReplicas(config, serving, logger);
  const shards = address.shards.map((shard) => {
    const scoped = configOfDatabase(config, shard.name);
    return { name: shard.name, config: scoped, ...openShardPools(scoped, shard.address, shardPools[shard.name] ?? pools, logger) };
  });
  const servingShards = openServingShards(shards, logger);
  const metrics =
    config.metrics === undefined
      ? undefined
      : (await import("../../metrics/server-metrics.ts")).createServerMetrics(
          name,
          Object.assign({ serving, control, community: reader }, ...shards.map(servingPoolsOf)),
          { "": replicas, ...servingShards.replicas },
        );
  const tracing = await openTracing(config, name, logger);
  const server = createApiServer({
    config,
    ...loadProtocols(config),
    chains,
    database: serving,
    control,
    reader,
    notifications,
    replicas,
    shards: servingShards.connections,
    logger,
    demo,
    meter: createRemoteMeter(primary),
    counts: metrics?.counts,
    tracer: tracing?.tracer,
  });
  return {
    address,
    serving: server,
    metrics,
    async stop() {
      await server.stop();
      await tracing?.close();
      // Requests have ended; statements that they shared may still run.
      await settlesWithin(
        Promise.all(
          [serving, control, reader, notifications, ...(replicas === undefined ? [] : [replicas]), servingShards, ...shards].map((pool) =>
            pool.close(),
          ),
        ),
        closeMilliseconds,
      );
    },
  };
}
