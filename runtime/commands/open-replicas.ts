import type { Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { createReplicas, type Replicas } from "../database/replicas/replicas.ts";
import { controlPool, servingPool } from "./pools.ts";

/** Connects to the replicas of `readUrls` for a process that serves; undefined if none is configured. A replica that cannot be reached is used later. */
export function openReplicas(
  config: Config,
  primary: Database,
  logger: { info(message: string): void; warn(message: string): void },
): Replicas | undefined {
  if (config.readUrls.length === 0) return undefined;
  return createReplicas({
    primary,
    replicas: config.readUrls.map((url, index) => {
      const server = { url, description: { name: `Replica ${index + 1}`, details: "check readUrls" } };
      return { database: servingPool(config, server, primary.poolSize), monitor: controlPool(config, server, 1) };
    }),
    onChange(replica, problem) {
      if (problem === null) logger.info(`Replica ${replica} is used again.`);
      else logger.warn(`Replica ${replica} is not used: ${problem}.`);
    },
  });
}
