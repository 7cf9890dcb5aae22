import type { DatabaseConfig } from "../config/database-config.ts";
import type { Database } from "../database/database.ts";
import type { Notifications } from "../database/notifications.ts";
import { watchDatabase } from "../database/watched-database.ts";
import type { CurrentAddress, ShardAddress } from "./database-address.ts";
import type { ConnectionPlan, PoolSizes } from "./pool-sizes.ts";
import { controlPool, openNotifications, readerPool, servingPool } from "./pools.ts";

/** A serving process's connections to one of the configured `databases`; while the database is lost, their statements are rejected immediately. */
export interface ShardPools {
  readonly serving: Database;
  readonly control: Database;
  readonly reader: Database;
  readonly notifications: Notifications;
  close(): Promise<void>;
}

/** One of the configured `databases` that a process has opened. */
export interface OpenShard extends ShardPools {
  readonly name: string;
  readonly config: DatabaseConfig;
  readonly indexing: Database;
  /** The pool sizes of this process and its child processes. */
  readonly plan: ConnectionPlan;
  /** Where child processes connect; it has a problem until the database has been prepared. */
  address(): ShardAddress;
}

export interface ShardLogger {
  info(message: string): void;
  warn(message: string): void;
}

/** Connects to one of the configured `databases` on first use, and watches it. */
export function openShardPools(
  config: DatabaseConfig,
  address: CurrentAddress<ShardAddress>,
  sizes: PoolSizes,
  logger: ShardLogger,
): ShardPools {
  const { server, reader: readerServer } = address;
  const names = config.chains.map(({ name }) => name).join(", ");
  const watched = watchDatabase({
    description: server.description,
    monitor: controlPool(config, server, 1),
    onChange(problem) {
      if (problem === null) logger.info(`Database ${config.databaseName} can be used again; its chains are ${names}.`);
      else logger.warn(`${problem} Its chains are not served meanwhile: ${names}.`);
    },
  });
  const serving = watched.guard(servingPool(config, server, sizes.serving));
  const control = watched.guard(controlPool(config, server, sizes.control));
  const reader = watched.guard(readerPool(config, readerServer, sizes.reader));
  const notifications = openNotifications(server);
  return {
    serving,
    control,
    reader,
    notifications,
    async close() {
      await Promise.all([watched, serving, control, reader, notifications].map((opened) => opened.close()));
    },
  };
}
