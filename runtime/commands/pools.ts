import { cpus } from "node:os";
import type { Config } from "../config/config.ts";
import { createDatabase, type Database, type DatabaseOptions } from "../database/database.ts";
import { indexChannel } from "../database/index-keep.ts";
import { createNotifications, type Notifications } from "../database/notifications.ts";
import { readerStatementMilliseconds } from "../database/reader/reader-statements.ts";

type Server = Pick<DatabaseOptions, "url" | "description">;

/** Connections besides the one per chain that its leader, or the process waiting to take over, holds. */
const connectionsForIndexing = 4;
/** Few: declared SQL may not occupy the server. */
const readerConnections = 8;

/** The connections of one of several processes that share a number of them. */
export const shareOf = (connections: number, processes: number): number => Math.max(1, Math.floor(connections / processes));

/** Connections for the statements of requests, in one of the processes of a server. */
export const servingPool = ({ limits }: Config, server: Server, processes = 1): Database =>
  createDatabase({
    ...server,
    poolSize: Math.max(2, shareOf(Math.max(4, cpus().length * 4), processes)),
    statementTimeoutMilliseconds: limits.statementMilliseconds,
    applicationName: "ashlar-serve",
  });

/** Connections for the indexer, whose statements have no timeout. */
export const indexingPool = ({ chains }: Config, server: Server): Database =>
  createDatabase({
    ...server,
    poolSize: connectionsForIndexing + Math.max(1, chains.length),
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
