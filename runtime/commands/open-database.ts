import process from "node:process";
import type { Config } from "../config/config.ts";
import { configOfDatabase, type DatabaseConfig } from "../config/database-config.ts";
import type { Database, DatabaseOptions } from "../database/database.ts";
import { startEmbedded } from "../database/embedded.ts";
import type { DatabaseDescription } from "../database/errors.ts";
import { migrate, requireSchema } from "../database/migrate.ts";
import type { Notifications } from "../database/notifications.ts";
import { describeEmbedded, superviseEmbedded } from "../database/supervise-embedded.ts";
import { availableCores } from "../lib/available-cores.ts";
import type { Logger } from "../logger.ts";
import { migrations } from "../migrations.ts";
import { announceDatabase } from "./configured-database.ts";
import type { DatabaseAddress, ServiceAddresses } from "./database-address.ts";
import { type OpenReader, openReader } from "./open-reader.ts";
import { type ChildProcessCounts, type ConnectionPlan, planConnections, readMaxConnections } from "./pool-sizes.ts";
import { controlPool, indexingPool, openNotifications, servingPool } from "./pools.ts";
import type { OpenShard } from "./shard-pools.ts";
import { type Shutdown, settlesWithin } from "./shutdown.ts";

/** A process's database connections: request statements have a timeout, the indexer's do not. */
export interface OpenDatabase {
  readonly serving: Database;
  /** For keys, health and readiness, which must not wait for request statements. */
  readonly control: Database;
  readonly indexing: Database;
  /** Connects as the reader role, which is set up if necessary. @throws {ReaderRoleError} if it cannot be created or used. */
  openReader(): Promise<OpenReader>;
  close(): Promise<void>;
}

/** The control database of a process that serves or indexes: declared protocols' SQL runs on the connections of `reader`. */
export interface ControlDatabase extends OpenDatabase, OpenReader {
  /** The pool sizes of this process and its child processes. */
  readonly plan: ConnectionPlan;
  /** Index notifications, which need a dedicated connection. */
  readonly notifications: Notifications;
  /** Where child processes connect. */
  address(): DatabaseAddress;
  /** Calls the listener when the address has changed. */
  onAddressChange(listener: () => void): void;
}

/** The databases of a process that serves or indexes. */
export interface ServiceDatabases extends ControlDatabase {
  /** The configured `databases` that store chains. */
  readonly shards: readonly OpenShard[];
  address(): ServiceAddresses;
}

/** Options for commands that run until they are stopped: their embedded server is restarted if it exits. */
export interface LongRunningOptions {
  readonly shutdown: Shutdown;
  readonly logger: Pick<Logger, "info" | "warn" | "error">;
  /** The child processes that share the database's connections with it; none by default. */
  readonly processes?: ChildProcessCounts;
}

/** How long to wait for running statements before the server is stopped, which cancels them. */
const closeMilliseconds = 5_000;

/** The server at DATABASE_URL, otherwise the embedded one. */
export interface DatabaseServer extends Pick<DatabaseOptions, "url"> {
  readonly description: DatabaseDescription;
  /** Calls the listener when the URL or the description's problem has changed. */
  onChange(listener: () => void): void;
  stop(): Promise<void>;
  /** Signals this process's embedded server to shut down, without waiting: for a process that exits immediately. */
  interrupt(): void;
}

/** Prints which database is used, and starts or joins the embedded server if none is configured. */
export async function openDatabaseServer(config: Config | DatabaseConfig, longRunning?: LongRunningOptions): Promise<DatabaseServer> {
  announceDatabase(config);
  const { databaseUrl, dataDirectory } = config;
  if (databaseUrl !== undefined) {
    return {
      url: databaseUrl,
      description: describeExternal(config, databaseUrl),
      onChange: () => undefined,
      stop: async () => undefined,
      interrupt: () => undefined,
    };
  }
  if (longRunning === undefined) {
    return {
      ...(await startEmbedded({ dataDirectory, onWait: (message) => void process.stderr.write(`${message}\n`) })),
      description: describeEmbedded(dataDirectory),
      onChange: () => undefined,
    };
  }
  const { logger, shutdown } = longRunning;
  return superviseEmbedded({ dataDirectory, logger, signal: shutdown.signal, onLost: shutdown.fail });
}

/**
 * Connects to DATABASE_URL, to one of `databases`, or else to the embedded server, and runs the pending migrations or refuses an older schema
 * (setting `migrate`). For commands that run until they are stopped, it also sets up the reader role. @throws {ReaderRoleError} if
 * that role cannot be created or used. @throws {CommandError} if the database accepts too few connections.
 */
export async function openDatabase(config: Config | DatabaseConfig, longRunning: LongRunningOptions): Promise<ControlDatabase>;
export async function openDatabase(config: Config | DatabaseConfig): Promise<OpenDatabase>;
export async function openDatabase(
  fullConfig: Config | DatabaseConfig,
  longRunning?: LongRunningOptions,
): Promise<OpenDatabase | ControlDatabase> {
  const config = "databaseName" in fullConfig ? fullConfig : configOfDatabase(fullConfig, null);
  const server = await openDatabaseServer(config, longRunning);
  const notifications = openNotifications(server);
  const pools: Pick<Database, "close">[] = [notifications];
  const closeLater = <T extends Pick<Database, "close">>(pool: T): T => {
    pools.push(pool);
    return pool;
  };
  // Stops the embedded server if the process exits immediately, for example on a second signal.
  process.on("exit", server.interrupt);
  const close = async (): Promise<void> => {
    await settlesWithin(Promise.allSettled(pools.map((pool) => pool.close())), closeMilliseconds);
    await server.stop();
    process.off("exit", server.interrupt);
  };
  try {
    const plan = await readConnectionPlan(config, server, longRunning?.processes);
    const { owner } = plan;
    const control = closeLater(controlPool(config, server, owner.control));
    const indexing = closeLater(indexingPool(server, owner.indexing));
    const serving = closeLater(servingPool(config, server, owner.serving));
    const connectReader = async (): Promise<OpenReader> => {
      const reader = await openReader(config, server, indexing, owner.reader);
      closeLater(reader.reader);
      return reader;
    };
    await (migratesAutomatically(config) ? migrate(indexing, migrations) : requireSchema(indexing, migrations));
    const database: OpenDatabase = { serving, control, indexing, openReader: connectReader, close };
    if (longRunning === undefined) return database;
    const reader = await connectReader();
    const address = (): DatabaseAddress => addressOf(server, reader.readerUrl());
    const service: ControlDatabase = { ...database, ...reader, plan, notifications, address, onAddressChange: server.onChange };
    return service;
  } catch (error) {
    await close();
    throw error;
  }
}

/** Whether opening the database migrates it. Servers on other machines may use an external database, so its operator decides when to migrate it. */
export const migratesAutomatically = ({ migrate: mode, databaseUrl }: Config): boolean =>
  (mode ?? (databaseUrl === undefined ? "auto" : "explicit")) === "auto";

/** Describes a configured external database. */
export function describeExternal(config: Config | DatabaseConfig, url: string): DatabaseDescription {
  const name = "databaseName" in config ? config.databaseName : null;
  return name === null
    ? { name: "The database", details: `check ${originOf(url, process.env)}` }
    : { name: `Database ${name}`, details: `check databases.${name}` };
}

/** The setting that a database URL was read from. */
const originOf = (databaseUrl: string, { DATABASE_URL: variable, DATABASE_URL_FILE: file }: NodeJS.ProcessEnv): string => {
  if (databaseUrl === variable) return "DATABASE_URL";
  return file === undefined || file === "" ? "databaseUrl in the configuration" : "the file of DATABASE_URL_FILE";
};

/** Queries how many connections the server accepts, and divides them among the pools. */
export async function readConnectionPlan(
  config: Config,
  server: Pick<DatabaseOptions, "url" | "description">,
  processes: ChildProcessCounts = { workerCount: 0, indexerCount: 0 },
): Promise<ConnectionPlan> {
  const database = controlPool(config, server, 1);
  try {
    const maxConnections = await readMaxConnections(database);
    return planConnections({ ...processes, maxConnections, cores: availableCores(), chainCount: config.chains.length });
  } finally {
    await database.close();
  }
}

const addressOf = ({ url, description: { name, details, problem } }: DatabaseServer, readerUrl: string): DatabaseAddress => ({
  url: typeof url === "string" ? url : url(),
  readerUrl,
  name,
  details,
  problem: problem?.() ?? null,
});
