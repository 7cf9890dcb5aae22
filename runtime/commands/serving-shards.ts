import type { DatabaseConfig } from "../config/database-config.ts";
import type { Replicas } from "../database/replicas/replicas.ts";
import type { DatabaseConnections } from "../shard.ts";
import { openReplicas } from "./open-replicas.ts";
import type { ShardLogger, ShardPools } from "./shard-pools.ts";

/** The configured `databases`, as a server uses them. */
export interface ServingShards {
  /** By name. */
  readonly connections: Readonly<Record<string, DatabaseConnections>>;
  /** Their replicas, by name. */
  readonly replicas: Readonly<Record<string, Replicas | undefined>>;
  /** Closes the replicas. */
  close(): Promise<void>;
}

/** Connects to the replicas of the databases that this process serves from. */
export function openServingShards(
  shards: readonly (ShardPools & { readonly name: string; readonly config: DatabaseConfig })[],
  logger: ShardLogger,
): ServingShards {
  const opened = shards.map(({ name, config, serving, control, reader, notifications }) => {
    const replicas = openReplicas(config, serving, logger);
    return { name, replicas, connections: { database: serving, control, reader, notifications, replicas } };
  });
  return {
    connections: Object.fromEntries(opened.map(({ name, connections }) => [name, connections])),
    replicas: Object.fromEntries(opened.map(({ name, replicas }) => [name, replicas])),
    async close() {
      await Promise.all(opened.map(({ replicas }) => replicas?.close()));
    },
  };
}
