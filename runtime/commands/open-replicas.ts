import type { Config } from "../config/config.ts";
import type { DatabaseConfig } from "../config/database-config.ts";
import type { Database } from "../database/database.ts";
import { createReplicas, type Replicas } from "../database/replicas/replicas.ts";
import { controlPool, servingPool } from "./pools.ts";

/** Connects to the replicas in `readUrls` for a serving process; undefined if none is configured. An unreachable replica is used once it responds. */
export function openReplicas(
  config: Config | DatabaseConfig,
  primary: Database,
  logger: { info(message: string): void; warn(message: string): void },
): Replicas | undefined {
  if (config.readUrls.length === 0) return undefined;
  const name = "databaseName" in config ? config.databaseName : null;
  const [suffix, setting] = name === null ? ["", "readUrls"] : [` of database ${name}`, `databases.${name}.readUrls`];
  return createReplicas({
    primary,
    replicas: config.readUrls.map((url, index) => {
      const server = { url, description: { name: `Replica ${index + 1}${suffix}`, details: `check ${setting}` } };
      return { database: servingPool(config, server, primary.poolSize), monitor: controlPool(config, server, 1) };
    }),
    onChange(number, problem) {
      const replica = `${number}${suffix}`;
      if (problem === null) logger.info(`Replica ${replica} is used again.`);
      else logger.warn(`Replica ${replica} is not used: ${problem}.`);
    },
  });
}
