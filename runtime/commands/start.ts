import process, { stdout } from "node:process";
import type { AnyChainConfig, Config } from "../config/config.ts";
import type { Metrics } from "../metrics/start-metrics.ts";
import { loadProtocols } from "../protocols.ts";
import type { ApiServer } from "./api-server.ts";
import { checkNodes } from "./check-nodes.ts";
import { storeOf } from "./index-database.ts";
import { type OpenConsole, openConsole } from "./open-console.ts";
import type { ServiceDatabases } from "./open-database.ts";
import { openMetrics, poolsOf } from "./open-metrics.ts";
import { openServiceDatabases } from "./open-service-databases.ts";
import { createProgress, type Progress } from "./progress.ts";
import { examplePath, renderReady } from "./ready-text.ts";
import { renderCreateKeyCommand } from "./render-create-key-command.ts";
import { resolveChains } from "./resolve-chains.ts";
import { runIndexerProcess } from "./service/run-indexer-process.ts";
import { createServiceLog, type ServiceLog } from "./service/service-log.ts";
import { createServiceProcesses, type ServiceProcesses } from "./service/service-processes.ts";
import { startWorkers } from "./service/start-workers.ts";
import { startWorkerCount } from "./service/worker-count.ts";
import { runUntilStopped, type Shutdown, waitForAbort } from "./shutdown.ts";
import { startDemoService } from "./start-demo-service.ts";
import { createStopFunctions } from "./stop-functions.ts";
import { whenReady } from "./when-ready.ts";

/** `ashlar start`: runs and supervises the database, the indexer and the server; runs the demo if no chain is configured. */
export async function start(config: Config, configFile?: string): Promise<void> {
  if (config.chains.length === 0) return startDemoService(config, process.env);
  const declared = loadProtocols(config);
  const progress = createProgress();
  const log = createServiceLog({ ...config, destination: progress.logs });
  const { logger } = log;
  const processes = createServiceProcesses(startWorkerCount(config), log);
  await runUntilStopped(progress.print, async (shutdown) => {
    processes.prepare();
    const database = await openServiceDatabases(config, declared.addedProtocols, { shutdown, logger, processes: processes.counts });
    let metrics: Metrics | undefined;
    let operatorConsole: OpenConsole | undefined;
    try {
      metrics = await openMetrics(config, database, progress.print);
      metrics?.addProcess("supervisor", poolsOf(database));
      operatorConsole = await openConsole({ config, database, protocols: declared.protocols, logger, print: progress.print });
      const chains = await resolveChains(config, database, shutdown.signal);
      await checkNodes(chains, (chain) => storeOf(chain, database).database, logger, shutdown.signal);
      const serving = await startWorkers({ config, chains, database, log, processes, metrics });
      stdout.write(`Ashlar is listening at ${serving.url}; documentation: ${serving.url}/docs/\n`);
      await runService(
        { config, chains, serving, database, log, processes, progress, metrics, createKeyCommand: renderCreateKeyCommand(configFile) },
        shutdown,
      );
    } finally {
      progress.end();
      metrics?.close();
      await operatorConsole?.close();
      await createStopFunctions(shutdown).database(database);
    }
  }).finally(processes.discard);
}

interface Running {
  readonly config: Config;
  readonly chains: readonly AnyChainConfig[];
  readonly serving: ApiServer;
  readonly database: ServiceDatabases;
  readonly log: ServiceLog;
  readonly processes: ServiceProcesses;
  readonly progress: Progress;
  readonly metrics: Metrics | undefined;
  /** The command that creates a key. */
  readonly createKeyCommand: string;
}

async function runService(
  { config, chains, serving, database, log, processes, progress, metrics, createKeyCommand }: Running,
  shutdown: Shutdown,
): Promise<void> {
  const { signal } = shutdown;
  // The index is still served if indexing fails permanently; the failure is logged, and /readyz reports it.
  const indexing = runIndexerProcess(
    { config, chains, endsOnFatalFailure: false, database, log, processes, progress, metrics },
    signal,
  ).catch(() => undefined);
  const printReady = whenReady(serving, signal).then(async (isReady) => {
    if (isReady)
      progress.print(
        renderReady({ url: serving.url, createKeyCommand, path: await examplePath((chain) => storeOf(chain, database).database, chains) }),
      );
  });
  printReady.catch((error: unknown) =>
    log.logger.warn(`Printing the example request failed: ${error instanceof Error ? error.message : "unknown reason"}`),
  );
  await waitForAbort(signal);
  progress.end();
  const stop = createStopFunctions(shutdown);
  await Promise.all([stop.server(serving), stop.indexer(indexing)]);
}
