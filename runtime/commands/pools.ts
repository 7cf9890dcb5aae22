import type { Config } from "../config/config.ts";
import { createDatabase, type Database, type DatabaseOptions } from "../database/database.ts";
import { indexChannel } from "../database/index-cache.ts";
import { createNotifications, type Notifications } from "../database/notifications.ts";
import { readerStatementMilliseconds } from "../database/reader/reader-statements.ts";

type Server = Pick<DatabaseOptions, "url" | "description">;

/** Connections for request statements. */
export const servingPool = ({ limits }: Config, server: Server, poolSize: number): Database =>
  createDatabase({
    ...server,
    poolSize,
    statementTimeoutMilliseconds: limits.statementMilliseconds,
    applicationName: "ashlar-serve",
  });

/** Connections for keys, health and readiness, which must not wait for request statements. */
export const controlPool = ({ limits }: Config, server: Server, poolSize: number): Database =>
  createDatabase({
    ...server,
    poolSize,
    statementTimeoutMilliseconds: limits.statementMilliseconds,
    applicationName: "ashlar-control",
  });

/** Connections for the indexer, whose statements have no timeout. */
export const indexingPool = (server: Server, poolSize: number): Database =>
  createDatabase({
    ...server,
    poolSize,
    statementTimeoutMilliseconds: 0,
    applicationName: "ashlar-index",
  });

/** Connections of the role that runs declared protocols' SQL. */
export const readerPool = ({ limits }: Config, server: Server, poolSize: number): Database =>
  createDatabase({
    ...server,
    poolSize,
    statementTimeoutMilliseconds: Math.min(readerStatementMilliseconds, limits.statementMilliseconds),
    applicationName: "ashlar-community",
  });

/** Index notifications, which need a dedicated connection. */
export const openNotifications = ({ url }: Server): Notifications =>
  createNotifications({ url: typeof url === "string" ? () => url : url, channel: indexChannel, applicationName: "ashlar-notifications" });
