import { stdout } from "node:process";
import type { Config } from "../config/config.ts";
import { createLogger } from "../logger.ts";
import { requireChains, resolveChains } from "./chains.ts";
import { openDatabase } from "./open-database.ts";
import { startServing } from "./serving.ts";
import { stopped, stopSignal } from "./stop-signal.ts";

/** `ashlar serve`: the server alone, until it is told to stop. */
export async function serve(config: Config): Promise<void> {
  requireChains(config);
  const signal = stopSignal();
  const database = await openDatabase(config);
  try {
    const chains = await resolveChains(config, database.serving);
    const serving = await startServing({ config, chains, database: database.serving, logger: createLogger(config.logLevel) });
    stdout.write(`Ashlar answers at ${serving.url}; its documentation is ${serving.url}/docs/\n`);
    await stopped(signal);
    await serving.stop();
  } finally {
    await database.close();
  }
}
