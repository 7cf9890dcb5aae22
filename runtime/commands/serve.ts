import { stdout } from "node:process";
import type { Config } from "../config/config.ts";
import type { Replicas } from "../database/replicas/replicas.ts";
import type { Metrics } from "../metrics/start-metrics.ts";
import { loadProtocols } from "../protocols.ts";
import { type OpenConsole, openConsole } from "./open-console.ts";
import { openMetrics, poolsOf } from "./open-metrics.ts";
import { openReplicas } from "./open-replicas.ts";
import { openServiceDatabases } from "./open-service-databases.ts";
import { openTracing } from "./open-tracing.ts";
import { requireChains, resolveChains } from "./resolve-chains.ts";
import { createServiceLog } from "./service/service-log.ts";
import { createServiceProcesses } from "./service/service-processes.ts";
import { startWorkers } from "./service/start-workers.ts";
import { serveWorkerCount } from "./service/worker-count.ts";
import { openServingShards, type ServingShards } from "./serving-shards.ts";
import { runUntilStopped, waitForAbort } from "./shutdown.ts";
import { createStopFunctions } from "./stop-functions.ts";

const print = (line: string): void => void stdout.write(`${line}\n`);

/** `ashlar serve`: runs the server without an indexer until the process is stopped; with several workers, this process is their primary. */
export async function serve(config: Config): Promise<void> {
  requireChains(config);
  const declared = loadProtocols(config);
  const log = createServiceLog(config);
  const { logger } = log;
  const workerCount = serveWorkerCount(config);
  await runUntilStopped(print, async (shutdown) => {
    const stop = createStopFunctions(shutdown);
    const database = await openServiceDatabases(config, declared.addedProtocols, {
      shutdown,
      logger,
      processes: { workerCount: workerCount === 1 ? 0 : workerCount, indexerCount: 0 },
    });
    let metrics: Metrics | undefined;
    let operatorConsole: OpenConsole | undefined;
    // Workers trace their requests themselves.
    const tracing = workerCount === 1 ? await openTracing(config, "server", logger) : undefined;
    let replicas: Replicas | undefined;
    let shards: ServingShards | undefined;
    try {
      metrics = await openMetrics(config, database, print);
      operatorConsole = await openConsole({ config, database, protocols: declared.protocols, logger, print });
      const chains = await resolveChains(config, database, shutdown.signal);
      const { serving: pool, control, reader, notifications } = database;
      if (workerCount === 1) {
        replicas = openReplicas(config, pool, logger);
        shards = openServingShards(database.shards, logger);
      }
      const serving =
        workerCount === 1
          ? // A primary does not need a server's modules.
            await (await import("./api-server.ts")).startApiServer({
              config,
              ...declared,
              chains,
              database: pool,
              control,
              reader,
              notifications,
              replicas,
              shards: shards?.connections,
              logger,
              counts: metrics?.addServer("server", poolsOf(database), { "": replicas, ...shards?.replicas }),
              tracer: tracing?.tracer,
            })
          : await startWorkers({ config, chains, database, log, processes: createServiceProcesses(workerCount, log), metrics });
      if (workerCount > 1) metrics?.addProcess("primary", poolsOf(database));
      print(`Ashlar is listening at ${serving.url}; documentation: ${serving.url}/docs/`);
      await waitForAbort(shutdown.signal);
      await stop.server(serving);
    } finally {
      metrics?.close();
      await operatorConsole?.close();
      await tracing?.close();
      await replicas?.close();
      await shards?.close();
      await stop.database(database);
    }
  });
}
