import { cpus } from "node:os";
import process from "node:process";
import type { Config } from "../config/config.ts";
import { createDatabase, type Database, type DatabaseOptions } from "../database/database.ts";
import { startEmbedded } from "../database/embedded.ts";
import type { DatabaseDescription } from "../database/errors.ts";
import { indexChannel } from "../database/index-keep.ts";
import { describeEmbedded, superviseEmbedded } from "../database/keep-embedded.ts";
import { migrate } from "../database/migrate.ts";
import { createNotifications, type Notifications } from "../database/notifications.ts";
import type { Logger } from "../logger.ts";
import { migrations } from "../migrations.ts";
import { type OpenReader, openReader } from "./open-reader.ts";
import { type Shutdown, settlesWithin } from "./shutdown.ts";
import { announceDatabase } from "./used-database.ts";

/** The databases of one process: statements of requests have a timeout, those of the indexer do not. */
export interface OpenDatabase {
  readonly serving: Database;
  readonly indexing: Database;
  /** Connects as the role of community endpoints, which is set up if necessary. @throws {ReaderRoleError} if it cannot be created or used. */
  openReader(): Promise<OpenReader>;
  close(): Promise<void>;
}

/** The databases of a process that serves or indexes: the SQL of declared protocols runs on the connections of `reader`. */
export interface ServiceDatabase extends OpenDatabase, OpenReader {
  /** Notifications of the index, which need a connection of their own. */
  readonly notifications: Notifications;
}

/** Options of commands that run until they are stopped: their embedded server is restarted if it exits. */
export interface LongRunning {
  readonly shutdown: Shutdown;
  readonly logger: Pick<Logger, "info" | "warn" | "error">;
}

/** Connections besides the one per chain that its leader, or the process waiting to take over, holds. */
const connectionsForIndexing = 4;
/** How long to wait for running statements before the server is stopped, which cancels them. */
const closeMilliseconds = 5_000;

/** The server at DATABASE_URL, otherwise the embedded one. */
export interface Server extends Pick<DatabaseOptions, "url"> {
  readonly description: DatabaseDescription;
  stop(): Promise<void>;
  /** Signals an embedded server of this process to shut down, without waiting: for a process that exits immediately. */
  interrupt(): void;
}

/** Prints which database is used, and starts or joins the embedded server if none is configured. */
export async function openServer(config: Config, longRunning?: LongRunning): Promise<Server> {
  announceDatabase(config);
  const { databaseUrl, dataDirectory } = config;
  if (databaseUrl !== undefined) {
    const details = databaseUrl === process.env.DATABASE_URL ? "check DATABASE_URL" : "check databaseUrl in the configuration";
    return { url: databaseUrl, description: { name: "The database", details }, stop: async () => undefined, interrupt: () => undefined };
  }
  if (longRunning === undefined) return { ...(await startEmbedded({ dataDirectory })), description: describeEmbedded(dataDirectory) };
  const { logger, shutdown } = longRunning;
  return superviseEmbedded({ dataDirectory, logger, signal: shutdown.signal, onLost: shutdown.fail });
}

/**
 * Connects to DATABASE_URL, or else to the embedded server, and runs the pending migrations. For commands that run until they are stopped, it also sets up the
 * role of community endpoints. @throws {ReaderRoleError} if that role cannot be created or used.
 */
export async function openDatabase(config: Config, longRunning: LongRunning): Promise<ServiceDatabase>;
export async function openDatabase(config: Config): Promise<OpenDatabase>;
export async function openDatabase(config: Config, longRunning?: LongRunning): Promise<OpenDatabase | ServiceDatabase> {
  const server = await openServer(config, longRunning);
  const { url, description } = server;
  const serving = createDatabase({
    url,
    description,
    poolSize: Math.max(4, cpus().length * 4),
    statementTimeoutMilliseconds: config.limits.statementMilliseconds,
    applicationName: "ashlar-serve",
  });
  const indexing = createDatabase({
    url,
    description,
    poolSize: connectionsForIndexing + Math.max(1, config.chains.length),
    statementTimeoutMilliseconds: 0,
    applicationName: "ashlar-index",
  });
  const urlOf = typeof url === "string" ? () => url : url;
  const notifications = createNotifications({ url: urlOf, channel: indexChannel, applicationName: "ashlar-notifications" });
  const pools: Pick<Database, "close">[] = [serving, indexing, notifications];
  // Stops the embedded server of a process that exits immediately, for example on a second signal.
  process.on("exit", server.interrupt);
  const close = async (): Promise<void> => {
    await settlesWithin(Promise.allSettled(pools.map((pool) => pool.close())), closeMilliseconds);
    await server.stop();
    process.off("exit", server.interrupt);
  };
  const connectReader = async (): Promise<OpenReader> => {
    const opened = await openReader(config, server, indexing);
    pools.push(opened.reader);
    return opened;
  };
  try {
    await migrate(indexing, migrations);
    const database: OpenDatabase = { serving, indexing, openReader: connectReader, close };
    return longRunning === undefined ? database : { ...database, notifications, ...(await connectReader()) };
  } catch (error) {
    await close();
    throw error;
  }
}
