import type { Config } from "../config/config.ts";
import { createDatabase, type Database, type DatabaseOptions } from "../database/database.ts";
import { indexChannel } from "../database/index-keep.ts";
import { createNotifications, type Notifications } from "../database/notifications.ts";
import { readerStatementMilliseconds } from "../database/reader/reader-statements.ts";
import { controlConnections, indexingConnections, readerConnections } from "./pool-sizes.ts";

type Server = Pick<DatabaseOptions, "url" | "description">;

/** The connections of one of several processes that share a number of them. */
export const shareOf = (connections: number, processes: number): number => Math.max(1, Math.floor(connections / processes));

/** Connections for the statements of requests, in one of the processes of a server. */
export const servingPool = ({ limits }: Config, server: Server, poolSize: number): Database =>
  createDatabase({
    ...server,
    poolSize,
    statementTimeoutMilliseconds: limits.statementMilliseconds,
    applicationName: "ashlar-serve",
  });

/** Connections for keys, health and readiness, which do not wait for answers. */
export const controlPool = ({ limits }: Config, server: Server): Database =>
  createDatabase({
    ...server,
    poolSize: controlConnections,
    statementTimeoutMilliseconds: limits.statementMilliseconds,
    applicationName: "ashlar-control",
  });

/** Connections for the indexer, whose statements have no timeout. */
export const indexingPool = ({ chains }: Config, server: Server): Database =>
  createDatabase({
    ...server,
    poolSize: indexingConnections(chains.length),
    statementTimeoutMilliseconds: 0,
    applicationName: "ashlar-index",
  });

/** Connections of the role that runs the SQL of declared protocols, in one of the processes of a server. */
export const readerPool = ({ limits }: Config, server: Server, processes = 1): Database =>
  createDatabase({
    ...server,
    poolSize: shareOf(readerConnections, processes),
    statementTimeoutMilliseconds: Math.min(readerStatementMilliseconds, limits.statementMilliseconds),
    applicationName: "ashlar-community",
  });

/** Notifications of the index, which need a connection of their own. */
export const openNotifications = ({ url }: Server): Notifications =>
  createNotifications({ url: typeof url === "string" ? () => url : url, channel: indexChannel, applicationName: "ashlar-notifications" });
