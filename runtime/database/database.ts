import type { Knex } from "knex";
import pg from "pg";
import { activeRequest } from "../lib/active-request.ts";
import { type SharedPool, withConnection } from "./connection.ts";
import type { CopyType, CopyValue } from "./copy.ts";
import { copyRows } from "./copy.ts";
import { type DatabaseDescription, DatabaseUnavailable, isCancelled, isConnectionStale, secretsOf, toSafeError } from "./errors.ts";
import { createFairSlots } from "./fair-slots.ts";
import { clientOf } from "./hosts/client.ts";
import { createKnex } from "./knex.ts";
import { runNamed } from "./named-query.ts";
import { abandon, configureInTime, connectMilliseconds, createOpenConnections } from "./open-connections.ts";
import { paceReading } from "./paced-reading.ts";
import { type PipelinedStatement, runPipeline } from "./pipeline.ts";
import { type CurrentPoolUsage, createPoolUsage } from "./pool-usage.ts";
import { createPreparedStatements, type PreparedStatements } from "./prepared-statements.ts";
import { configureSession, customPlans, genericPlans, isDirect, type Plans } from "./session-settings.ts";
import type { Sql, Statement } from "./sql.ts";
import { createTypeParsers } from "./type-parsers.ts";

export interface DatabaseOptions {
  /**
   * postgresql://user:password@host:port/name; several hosts are separated as in libpq (see hosts/). A secret. A function is called for each new
   * connection: a restarted server may have another port.
   */
  readonly url: string | (() => string);
  /** Max connections for statements that are planned for each execution; half as many more serve statements that are planned once (see `plannedOnce`). */
  readonly poolSize: number;
  /** The server cancels a statement after this time (SQLSTATE 57014); 0 for no limit. It is not set behind a pooler (see session-settings.ts). */
  readonly statementTimeoutMilliseconds: number;
  /** The `application_name` of these connections. */
  readonly applicationName: string;
  /** How messages describe the database; by default, they refer to DATABASE_URL. */
  readonly description?: DatabaseDescription;
}

/** Executes SQL: on the pool, or on one connection inside a transaction. */
export interface Queryable {
  /**
   * Runs one statement and returns its rows. Parameters: bytea as `bytes(hex)`, numeric as decimal text or bigint, int8 as number.
   * Returned values: bytea as `0x…` in lower case, int8 as number, numeric as text, timestamptz as Date, date as `YYYY-MM-DD`.
   */
  query<Row extends object>(sql: string | Sql, parameters?: readonly unknown[]): Promise<Row[]>;
  /** Runs a composed statement (see sql.ts), which its connection keeps prepared, and returns its rows. */
  run<Row extends object>(statement: Statement<Row>): Promise<Row[]>;
}

/** One connection inside a transaction; it must not be used after the transaction. */
export interface DatabaseClient extends Queryable {
  /** Writes rows with COPY, one type per column, and returns their number. Sends nothing if there are no rows. */
  copy(table: string, columns: readonly string[], rows: Iterable<readonly CopyValue[]>, types: readonly CopyType[]): Promise<number>;
  /** Runs statements in order, sending each without waiting for the previous result; the first failure ends the pipeline. */
  pipeline(statements: readonly PipelinedStatement[]): Promise<void>;
}

/** How a transaction uses its connection. */
export interface TransactionOptions {
  /** Closes the connection at the end, so that the next transaction connects to the server that the URL then refers to; false by default. */
  readonly closesConnection?: boolean;
  /** Closes the connection immediately when it aborts, even if the server does not respond; the work and the transaction then fail. */
  readonly abandoned?: AbortSignal;
}

export interface Database extends Queryable {
  /** Max connections for statements that are planned for each execution. */
  readonly poolSize: number;
  /** For migrations: uses a separate connection without a statement timeout, opened on first use. */
  readonly knex: Knex;
  /** Runs work between BEGIN and COMMIT; an error rolls back and is rethrown. */
  transaction<T>(work: (client: DatabaseClient) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** The pools' counters, for metrics. */
  usage(): CurrentPoolUsage;
  /** Closes all connections immediately, because the server does not respond: their statements fail, and the next ones connect again. */
  abandonConnections(): void;
  /** Closes all connections after their running statements. */
  close(): Promise<void>;
}

/** The idle time after which the system checks whether the other side of a connection still exists (tcp(7)). */
const keepAliveMilliseconds = 10_000;
/** How long the server may take to report that it has cancelled a statement. */
const cancellationMilliseconds = 5_000;

/** Creates the pools of a database, with value codecs of their own; they connect on first use. @throws {DatabaseUnavailable} if the URL is malformed. */
export function createDatabase(options: DatabaseOptions): Database {
  const { description, url } = options;
  const urlOf = typeof url === "string" ? () => url : url;
  if (!/^(postgres(ql)?|socket):\/\//.test(urlOf())) {
    throw new DatabaseUnavailable("ERR_INVALID_URL", "its URL is not of the form postgresql://user:password@host:port/name", description);
  }
  const types = createTypeParsers();
  const preparedStatements = createPreparedStatements();
  const usage = createPoolUsage();
  const connections = createOpenConnections();
  const openPool = (max: number, plans: Plans): SharedPool => {
    const pool = new pg.Pool({
      Client: clientOf(urlOf),
      max,
      application_name: options.applicationName,
      connectionTimeoutMillis: connectMilliseconds,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMilliseconds,
      types,
      // The pool waits for this before the connection's first statement; if the connection breaks in the meantime, that statement fails.
      onConnect: (client) => configureInTime(client, () => configureSession(client, plans, options.statementTimeoutMilliseconds)),
    });
    connections.watch(pool);
    // The pool drops a connection that breaks while idle; the next query opens a new one, and fails if that is impossible.
    pool.on("error", () => undefined);
    const maxStatementMilliseconds =
      options.statementTimeoutMilliseconds === 0 ? null : options.statementTimeoutMilliseconds + cancellationMilliseconds;
    return { pool, slots: createFairSlots(max), usage, maxStatementMilliseconds };
  };
  const pool = openPool(options.poolSize, customPlans);
  const lookupPool = openPool(Math.ceil(options.poolSize / 2), genericPlans);
  const knex = createKnex(urlOf, options.applicationName, types);
  let closing: Promise<void> | undefined;
  const guard = <T>(result: Promise<T>): Promise<T> =>
    result.catch((error: unknown) => {
      throw toSafeError(error, secretsOf(urlOf()), description);
    });

  return {
    poolSize: options.poolSize,
    knex,
    ...createQueryable(
      <Row extends object>(config: pg.QueryConfig, isPlannedOnce: boolean) =>
        guard(preparedStatements.sendWithRetry(config, (query) => runOnPool<Row>(isPlannedOnce ? lookupPool : pool, query))),
      preparedStatements.repeatableConfigOf,
    ),
    transaction: (work, transactionOptions) => guard(inTransaction(pool, preparedStatements, work, transactionOptions)),
    usage() {
      const sum = (count: (opened: pg.Pool) => number): number => count(pool.pool) + count(lookupPool.pool);
      const [total, idle] = [sum(({ totalCount }) => totalCount), sum(({ idleCount }) => idleCount)];
      return { ...usage, connections: { busy: total - idle, idle }, size: options.poolSize + lookupPool.pool.options.max };
    },
    abandonConnections: connections.abandonAll,
    close: () => {
      closing ??= Promise.all([pool.pool.end(), lookupPool.pool.end(), knex.destroy()]).then(() => undefined);
      return closing;
    },
  };
}

/**
 * Runs a statement. If it belongs to a request, it is cancelled when the request aborts, and the connection remains usable; other errors close it. A
 * connection that is still busy when its server should have cancelled the statement is abandoned as dead.
 */
const runOnPool = <Row extends object>(pool: SharedPool, query: pg.QueryConfig): Promise<Row[]> => {
  const request = activeRequest();
  return withConnection(
    pool,
    (client, { markBroken }) => {
      if (request !== undefined) paceReading(client, request);
      const timer = pool.maxStatementMilliseconds === null ? undefined : setTimeout(abandon, pool.maxStatementMilliseconds, client);
      return runOn<Row>(client, query).then(
        (rows) => {
          clearTimeout(timer);
          return rows;
        },
        (error: unknown) => {
          clearTimeout(timer);
          if (!isCancelled(error)) markBroken();
          throw error;
        },
      );
    },
    query.text,
  );
};

/** Runs a statement on a connection, and returns its rows. */
const runOn = <Row extends object>(client: pg.ClientBase, { name, text, values }: pg.QueryConfig): Promise<Row[]> => {
  if (name !== undefined && isDirect(client)) return runNamed<Row>(client, { name, text, values: values ?? [] });
  return client.query(values === undefined ? { text } : { text, values }).then((result) => rowsOf<Row>(result));
};

const inTransaction = <T>(
  pool: SharedPool,
  preparedStatements: PreparedStatements,
  work: (client: DatabaseClient) => Promise<T>,
  { closesConnection = false, abandoned }: TransactionOptions = {},
): Promise<T> =>
  withConnection(pool, async (client, { signal, markBroken }) => {
    const onAbandoned = (): void => abandon(client);
    abandoned?.addEventListener("abort", onAbandoned, { once: true });
    if (closesConnection) markBroken();
    try {
      abandoned?.throwIfAborted();
      await client.query("BEGIN");
      const result = await work(createClient(client, preparedStatements, signal));
      await client.query("COMMIT");
      return result;
    } catch (error) {
      if (isConnectionStale(error)) markBroken();
      await client.query("ROLLBACK").catch(markBroken);
      throw error;
    } finally {
      abandoned?.removeEventListener("abort", onAbandoned);
    }
  });

function createClient(client: pg.PoolClient, preparedStatements: PreparedStatements, signal: AbortSignal | undefined): DatabaseClient {
  const send = async <Row extends object>(config: pg.QueryConfig): Promise<Row[]> => {
    // The request may have aborted between two statements.
    signal?.throwIfAborted();
    return runOn<Row>(client, config);
  };
  return {
    ...createQueryable(
      <Row extends object>(config: pg.QueryConfig) => preparedStatements.sendInTransaction(config, send<Row>),
      preparedStatements.configOf,
    ),
    copy: (table, columns, rows, types) => copyRows(client, table, columns, rows, types),
    pipeline: (statements) => runPipeline(client, statements),
  };
}

/** The driver's result; a list if the text has several statements. */
type Result = pg.QueryResult | pg.QueryResult[];

const createQueryable = (
  send: <Row extends object>(config: pg.QueryConfig, isPlannedOnce: boolean) => Promise<Row[]>,
  configOf: PreparedStatements["configOf"],
): Queryable => ({
  query: (sql, parameters) => send(configOf(sql, parameters), typeof sql !== "string" && sql.isPlannedOnce === true),
  run: ({ name, text, values, isPlannedOnce }) => send(configOf({ name, text }, values), isPlannedOnce === true),
});

/** A result's rows; for several statements, those of the last one. */
function rowsOf<Row>(result: Result): Row[] {
  const last = Array.isArray(result) ? result.at(-1) : result;
  return (last?.rows ?? []) as Row[];
}
