import type { AnyChainConfig, Config } from "../config/config.ts";
import { consoleSettingsSchema } from "../config/console.ts";
import { noKeyLimits } from "../config/key-limits.ts";
import { readSecret } from "../config/secret-variables.ts";
import type { Logger } from "../logger.ts";
import type { Metrics } from "../metrics/start-metrics.ts";
import { loadProtocols } from "../protocols.ts";
import { CommandError } from "./command-error.ts";
import { prepareDataDirectory } from "./data-directory.ts";
import { type Demo, loadDemo } from "./demo.ts";
import { requireDeletableIndex, requireDemoDatabase } from "./demo-database.ts";
import { deleteChain, matchesBitcoinDemo, matchesDemo } from "./demo-index.ts";
import { holdDemoKey, resolveDemoKey } from "./demo-key.ts";
import { renderWelcome } from "./demo-welcome.ts";
import { type OpenConsole, openDemoConsole } from "./open-console.ts";
import type { OpenDatabase, ServiceDatabases } from "./open-database.ts";
import { openMetrics, poolsOf } from "./open-metrics.ts";
import { openServiceDatabases } from "./open-service-databases.ts";
import { createProgress, type Progress } from "./progress.ts";
import { runIndexerProcess } from "./service/run-indexer-process.ts";
import { createServiceLog, type ServiceLog } from "./service/service-log.ts";
import { createServiceProcesses, type ServiceProcesses } from "./service/service-processes.ts";
import { startWorkers } from "./service/start-workers.ts";
import { startWorkerCount } from "./service/worker-count.ts";
import { runUntilStopped, type Shutdown, settlesWithin, waitForAbort } from "./shutdown.ts";
import { createStopFunctions } from "./stop-functions.ts";
import { whenReady } from "./when-ready.ts";

const phases = {
  story: "build the story",
  check: "check the story",
  load: "load the chain",
};

/** How long revoking the demo's key may take on shutdown; otherwise it expires. */
const keyMilliseconds = 2_000;
/** The interval between checks for the demo being ready; it takes seconds to index. */
const readyMilliseconds = 150;

/** Runs the demo, a local chain with its index and server, until the process is stopped. @throws {CommandError} if the data directory cannot be used */
export async function startDemoService(config: Config, environment: NodeJS.ProcessEnv): Promise<void> {
  prepareDataDirectory(config.dataDirectory);
  const declared = loadProtocols(config);
  const progress = createProgress();
  const logLevel = environment.ASHLAR_LOG_LEVEL === undefined ? "warn" : config.logLevel;
  const log = createServiceLog({ logLevel, logFormat: config.logFormat, destination: progress.logs });
  const { logger } = log;
  const processes = createServiceProcesses(startWorkerCount(config), log);
  const key = resolveDemoKey(config.dataDirectory, readSecret(environment, "ASHLAR_API_KEY"));
  await runUntilStopped(progress.print, async (shutdown) => {
    const { signal } = shutdown;
    const stop = createStopFunctions(shutdown);
    const open = (): Promise<Demo> => openDemo(config, environment, { logger, progress, processes, signal });
    const both = await openDatabaseAndDemo(
      () => openServiceDatabases(config, declared.addedProtocols, { shutdown, logger, processes: processes.counts }),
      open,
    ).catch((error: unknown) => {
      // A stop request while the story is built is not a failure.
      if (signal.aborted) return null;
      throw error;
    });
    if (both === null) return progress.end();
    const [database, opened] = both;
    let demo = opened;
    let metrics: Metrics | undefined;
    let operatorConsole: OpenConsole | undefined;
    let revokeKey = async (): Promise<void> => undefined;
    try {
      metrics = await openMetrics(config, database, progress.print);
      metrics?.addProcess("supervisor", poolsOf(database));
      const isExternal = config.databaseUrl !== undefined;
      await requireDemoDatabase({ database: database.indexing, chains: [demo.chain, demo.bitcoin.chain], isExternal });
      demo = await matchIndex(demo, database, open, isExternal);
      revokeKey = await holdDemoKey(database.indexing, key);
      const demoChains = [demo.chain, demo.bitcoin.chain];
      const withConsole = { ...config, console: config.console ?? consoleSettingsSchema.parse({}), logLevel };
      operatorConsole = await openDemoConsole({
        config: { ...withConsole, chains: demoChains },
        database,
        protocols: declared.protocols,
        logger,
        print: progress.print,
      });
      await runDemo({ config: withConsole, database, demo, key, log, processes, progress, metrics }, shutdown);
    } finally {
      metrics?.close();
      await operatorConsole?.close();
      progress.end();
      await settlesWithin(revokeKey(), keyMilliseconds);
      await stop.demo(demo);
      await stop.database(database);
    }
  }).finally(processes.discard);
}

interface DemoContext {
  readonly logger: Logger;
  readonly progress: Progress;
  readonly processes: ServiceProcesses;
  readonly signal: AbortSignal;
}

/**
 * Starts the demo. While the story is built, its node needs one core; the indexer's process and then the others load their modules on another one, which takes
 * seconds.
 */
const openDemo = async (
  config: Config,
  environment: NodeJS.ProcessEnv,
  { logger, progress, processes, signal }: DemoContext,
): Promise<Demo> => {
  const { startDemo } = await loadDemo();
  return startDemo({
    dataDirectory: config.dataDirectory,
    signal,
    rpcPort: portOf(environment.ASHLAR_DEMO_RPC_PORT),
    logger: { info: (message) => logger.info(message), warn: (message) => logger.warn(message) },
    onProgress: (phase, done, total) => {
      if (phase === "story") processes.prepare(done < total / 4 ? 1 : undefined);
      if (phase === "load") processes.prepare();
      progress.report(phases[phase], done, total);
    },
  });
};

/** Opens the database and the chain concurrently; if one fails, the other is closed. */
async function openDatabaseAndDemo(
  openIndex: () => Promise<ServiceDatabases>,
  open: () => Promise<Demo>,
): Promise<[ServiceDatabases, Demo]> {
  const [database, demo] = await Promise.allSettled([openIndex(), open()]);
  if (database.status === "fulfilled" && demo.status === "fulfilled") return [database.value, demo.value];
  if (database.status === "fulfilled") await database.value.close();
  if (demo.status === "fulfilled") await demo.value.stop();
  throw database.status === "rejected" ? database.reason : demo.status === "rejected" ? demo.reason : new Error("unreachable");
}

/** Checks that the chains and the index have the same history. If not, rebuilds the Bitcoin chain's index, or both the EVM chain and its index. */
async function matchIndex(opened: Demo, database: OpenDatabase, reopen: () => Promise<Demo>, isExternal: boolean): Promise<Demo> {
  const demo = await matchEvmChain(opened, database, reopen, isExternal);
  if (await matchesBitcoinDemo(database.indexing, demo.bitcoin)) return demo;
  requireDeletableIndex(demo.bitcoin.chain.name, isExternal);
  await deleteChain(database.indexing, demo.bitcoin.chain.id);
  return demo;
}

async function matchEvmChain(demo: Demo, database: OpenDatabase, reopen: () => Promise<Demo>, isExternal: boolean): Promise<Demo> {
  if (await matchesDemo(database.indexing, demo.chain.id, demo.identity())) return demo;
  requireDeletableIndex(demo.chain.name, isExternal);
  await deleteChain(database.indexing, demo.chain.id);
  if (demo.origin === "built") return demo;
  await demo.discardState();
  return reopen();
}

interface Running {
  readonly config: Config;
  readonly database: ServiceDatabases;
  readonly demo: Demo;
  readonly key: string;
  readonly log: ServiceLog;
  readonly processes: ServiceProcesses;
  readonly progress: Progress;
  readonly metrics: Metrics | undefined;
}

/** Starts the indexer and the server, and mines new blocks once the chain is indexed and the server is ready. */
async function runDemo({ config, database, demo, key, log, processes, progress, metrics }: Running, shutdown: Shutdown): Promise<void> {
  const chains: readonly AnyChainConfig[] = [demo.chain, demo.bitcoin.chain];
  // The demo's key is public on its documentation page, so it has no limits.
  const unlimited: Config = { ...config, limits: { ...config.limits, requestsPerSecond: "unlimited", ...noKeyLimits } };
  const { values: storyValues } = demo.story;
  const serving = await startWorkers({ config: unlimited, chains, database, log, processes, metrics, demo: { key, storyValues } });
  // If the indexer or the demo chain fails, the other one and the server are stopped.
  const failed = new AbortController();
  const stopSignal = AbortSignal.any([shutdown.signal, failed.signal]);
  const indexing = runIndexerProcess({ config, chains, endsOnFatalFailure: true, database, log, processes, progress, metrics }, stopSignal);
  const mining = whenReady(serving, stopSignal, readyMilliseconds).then(async (ready) => {
    if (!ready) return;
    progress.end();
    progress.print(renderWelcome({ url: serving.url, rpcUrl: demo.rpcUrl, bitcoinRpcUrl: demo.bitcoin.rpcUrl, key, storyValues }));
    await demo.keepMining(stopSignal);
  });
  const tasks = [indexing, mining].map((task) =>
    task.catch((error: unknown) => {
      failed.abort();
      throw error;
    }),
  );
  const all = Promise.allSettled(tasks);
  await waitForAbort(stopSignal);
  const stop = createStopFunctions(shutdown);
  await Promise.all([stop.server(serving), stop.indexer(all)]);
  if (failed.signal.aborted) await Promise.all(tasks);
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  if (!/^[1-9]\d{0,4}$/.test(text) || Number(text) > 65_535)
    throw new CommandError(`Invalid value "${text}" for ASHLAR_DEMO_RPC_PORT: expected a port from 1 to 65535.`);
  return Number(text);
}
