import { cpus } from "node:os";
import process from "node:process";
import type { Config } from "../config/config.ts";
import type { Database, DatabaseOptions } from "../database/database.ts";
import { startEmbedded } from "../database/embedded.ts";
import type { DatabaseDescription } from "../database/errors.ts";
import { describeEmbedded, superviseEmbedded } from "../database/keep-embedded.ts";
import { migrate } from "../database/migrate.ts";
import type { Notifications } from "../database/notifications.ts";
import type { Logger } from "../logger.ts";
import { migrations } from "../migrations.ts";
import type { DatabaseAddress } from "./database-address.ts";
import { type OpenReader, openReader } from "./open-reader.ts";
import { maxConnectionsOf, servingConnections } from "./pool-sizes.ts";
import { controlPool, indexingPool, openNotifications, servingPool } from "./pools.ts";
import { type Shutdown, settlesWithin } from "./shutdown.ts";
import { announceDatabase } from "./used-database.ts";

/** The databases of one process: statements of requests have a timeout, those of the indexer do not. */
export interface OpenDatabase {
  readonly serving: Database;
  /** For keys, health and readiness, which do not wait for answers. */
  readonly control: Database;
  readonly indexing: Database;
  /** Connects as the role of community endpoints, which is set up if necessary. @throws {ReaderRoleError} if it cannot be created or used. */
  openReader(): Promise<OpenReader>;
  close(): Promise<void>;
}

/** The databases of a process that serves or indexes: the SQL of declared protocols runs on the connections of `reader`. */
export interface ServiceDatabase extends OpenDatabase, OpenReader {
  /** Notifications of the index, which need a connection of their own. */
  readonly notifications: Notifications;
  /** Where child processes of this one connect. */
  address(): DatabaseAddress;
  /** Calls the listener when the address has changed. */
  onAddressChange(listener: () => void): void;
}

/** Options of commands that run until they are stopped: their embedded server is restarted if it exits. */
export interface LongRunning {
  readonly shutdown: Shutdown;
  readonly logger: Pick<Logger, "info" | "warn" | "error">;
}

/** How long to wait for running statements before the server is stopped, which cancels them. */
const closeMilliseconds = 5_000;

/** The server at DATABASE_URL, otherwise the embedded one. */
export interface Server extends Pick<DatabaseOptions, "url"> {
  readonly description: DatabaseDescription;
  /** Calls the listener when the URL or the problem of the description has changed. */
  onChange(listener: () => void): void;
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
    const description = { name: "The database", details };
    return { url: databaseUrl, description, onChange: () => undefined, stop: async () => undefined, interrupt: () => undefined };
  }
  if (longRunning === undefined) {
    return { ...(await startEmbedded({ dataDirectory })), description: describeEmbedded(dataDirectory), onChange: () => undefined };
  }
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
  const indexing = indexingPool(config, server);
  const control = controlPool(config, server);
  const notifications = openNotifications(server);
  const pools: Pick<Database, "close">[] = [indexing, control, notifications];
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
    const capacity = { maxConnections: await maxConnectionsOf(control), cpus: cpus().length, chains: config.chains.length };
    const serving = servingPool(config, server, servingConnections(capacity));
    pools.push(serving);
    const database: OpenDatabase = { serving, control, indexing, openReader: connectReader, close };
    if (longRunning === undefined) return database;
    const opened = await connectReader();
    const address = (): DatabaseAddress => addressOf(server, opened.readerUrl());
    const service: ServiceDatabase = { ...database, ...opened, notifications, address, onAddressChange: server.onChange };
    return service;
  } catch (error) {
    await close();
    throw error;
  }
}

const addressOf = ({ url, description: { name, details, problem } }: Server, readerUrl: string): DatabaseAddress => ({
  url: typeof url === "string" ? url : url(),
  readerUrl,
  name,
  details,
  problem: problem?.() ?? null,
});
