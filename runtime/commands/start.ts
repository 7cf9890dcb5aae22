import process, { stdout } from "node:process";
import type { Config } from "../config/config.ts";
import { createLogger } from "../logger.ts";
import { resolveChains } from "./chains.ts";
import { checkNodes } from "./check-nodes.ts";
import { runIndexers } from "./index-chains.ts";
import { openDatabase } from "./open-database.ts";
import { createProgress } from "./progress.ts";
import { startServing } from "./serving.ts";
import { startDemoService } from "./start-demo-service.ts";
import { stopped, stopSignal } from "./stop-signal.ts";

/** `ashlar start`: database, indexer and server in one process; the demo where no chain is configured. */
export async function start(config: Config): Promise<void> {
  if (config.chains.length === 0) return startDemoService(config, process.env);
  const signal = stopSignal();
  const progress = createProgress();
  const logger = createLogger(config.logLevel, progress.logs);
  const database = await openDatabase(config);
  try {
    const chains = await resolveChains(config, database.serving);
    await checkNodes(chains, database.serving);
    const serving = await startServing({ config, chains, database: database.serving, logger });
    stdout.write(`Ashlar answers at ${serving.url}; its documentation is ${serving.url}/docs/\n`);
    try {
      // An index that cannot be carried on is still worth serving.
      await runIndexers(chains, database.indexing, logger, progress, signal).catch(() => stopped(signal));
    } finally {
      await serving.stop();
    }
  } finally {
    progress.end();
    await database.close();
  }
}
