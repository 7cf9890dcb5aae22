import process, { stdout } from "node:process";
import type { AnyChainConfig, Config } from "../config/config.ts";
import { createLogger, type Logger } from "../logger.ts";
import { type DeclaredProtocols, loadProtocols } from "../protocols.ts";
import { resolveChains } from "./chains.ts";
import { checkNodes } from "./check-nodes.ts";
import { runIndexers } from "./index-chains.ts";
import { keysCommand } from "./keys-command.ts";
import type { ServiceDatabase } from "./open-database.ts";
import { openService } from "./open-service.ts";
import { createProgress, type Progress } from "./progress.ts";
import { examplePath, renderReady } from "./ready-text.ts";
import { type Serving, startServing } from "./serving.ts";
import { runUntilStopped, type Shutdown, stopped } from "./shutdown.ts";
import { startDemoService } from "./start-demo-service.ts";
import { stopService } from "./stop-service.ts";
import { whenReady } from "./when-ready.ts";

/** `ashlar start`: runs database, indexer and server in one process; the demo if no chain is configured. */
export async function start(config: Config, configFile?: string): Promise<void> {
  if (config.chains.length === 0) return startDemoService(config, process.env);
  const declared = loadProtocols(config);
  const progress = createProgress();
  const logger = createLogger({ ...config, destination: progress.logs });
  await runUntilStopped(progress.print, async (shutdown) => {
    const database = await openService(config, declared.added, { shutdown, logger });
    try {
      const chains = await resolveChains(config, database.serving, shutdown.signal);
      await checkNodes(chains, database.serving, logger, shutdown.signal);
      const { serving: pool, reader, notifications } = database;
      const serving = await startServing({ config, ...declared, chains, database: pool, reader, notifications, logger });
      stdout.write(`Ashlar is listening at ${serving.url}; documentation: ${serving.url}/docs/\n`);
      await runService({ declared, chains, serving, database, logger, progress, createKeyCommand: keysCommand(configFile) }, shutdown);
    } finally {
      progress.end();
      await stopService(shutdown).database(database);
    }
  });
}

interface Running {
  readonly declared: DeclaredProtocols;
  readonly chains: readonly AnyChainConfig[];
  readonly serving: Serving;
  readonly database: ServiceDatabase;
  readonly logger: Logger;
  readonly progress: Progress;
  /** The command that creates a key. */
  readonly createKeyCommand: string;
}

async function runService(
  { declared, chains, serving, database, logger, progress, createKeyCommand }: Running,
  shutdown: Shutdown,
): Promise<void> {
  const { signal } = shutdown;
  // The index is still served if indexing fails; the failure is logged.
  const indexing = runIndexers({ chains, protocols: declared.protocols, database, logger, progress }, signal).catch(() => undefined);
  const printReady = whenReady(serving, signal).then(async (isReady) => {
    if (isReady) progress.print(renderReady({ url: serving.url, createKeyCommand, path: await examplePath(database.indexing, chains) }));
  });
  printReady.catch((error: unknown) =>
    logger.warn(`Printing the example request failed: ${error instanceof Error ? error.message : "unknown reason"}`),
  );
  await stopped(signal);
  progress.end();
  const stop = stopService(shutdown);
  await Promise.all([stop.server(serving), stop.indexer(indexing)]);
}
