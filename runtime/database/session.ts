import type { Readable, Writable } from "node:stream";
import type pg from "pg";
import { from, to } from "pg-copy-streams";
import type { DatabaseOptions, Queryable } from "./database.ts";
import { secretsOf, toSafeError } from "./errors.ts";
import { clientOf } from "./hosts/client.ts";
import type { Sql } from "./sql.ts";
import { createTypeParsers } from "./type-parsers.ts";

/** A COPY stream, with the number of rows that it transferred once it has ended. */
export type CopyStream<S> = S & { readonly rowCount: number };

/** One connection outside of pools, for work that holds a transaction, a lock or a snapshot, and for COPY of entire tables. */
export interface Session extends Pick<Queryable, "query"> {
  /** Starts COPY … TO STDOUT. */
  copyTo(statement: Sql): CopyStream<Readable>;
  /** Starts COPY … FROM STDIN. */
  copyFrom(statement: Sql): CopyStream<Writable>;
  /** The error to throw instead of the driver's (see `toSafeError`), for stream errors. */
  sanitizeError(error: unknown): unknown;
  /** Closes the connection, even while a statement runs; an open transaction is rolled back. */
  close(): Promise<void>;
}

export type SessionOptions = Pick<DatabaseOptions, "url" | "description" | "applicationName">;

/**
 * Removes the timeouts of an open transaction, which may take hours, whether the server, the role or the database sets them. The statement takes the
 * transaction's snapshot.
 */
export const disableTimeouts = async (session: Session): Promise<void> => {
  await session.query("SELECT set_config(name, '0', true) FROM pg_settings WHERE name = ANY ($1)", [timeouts]);
};

/** transaction_timeout was added in PostgreSQL 17. */
const timeouts = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "transaction_timeout"];

/** Makes a transaction use a snapshot that another one has exported; must be its first statement. */
export async function importSnapshot(session: Session, id: string): Promise<void> {
  // The statement takes no parameters.
  if (!/^[0-9A-F-]+$/.test(id))
    throw new RangeError(`Invalid snapshot id ${JSON.stringify(id)}: expected uppercase hexadecimal digits and hyphens.`);
  await session.query(`SET TRANSACTION SNAPSHOT '${id}'`);
}

/** Connects. @throws {DatabaseUnavailable} if that fails. */
export async function openSession({ url, description, applicationName }: SessionOptions): Promise<Session> {
  const connectionString = typeof url === "string" ? url : url();
  const Client = clientOf(() => connectionString);
  const client = new Client({
    application_name: applicationName,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    types: createTypeParsers(),
  });
  // A connection that breaks fails the running statement, or the next one.
  client.on("error", () => undefined);
  const sanitizeError = (error: unknown): unknown => toSafeError(error, secretsOf(connectionString), description);
  const guard = <T>(result: Promise<T>): Promise<T> =>
    result.catch((error: unknown) => {
      throw sanitizeError(error);
    });
  await guard(client.connect());
  return {
    query: async <Row extends object>(sql: string | Sql, parameters?: readonly unknown[]) => {
      const text = typeof sql === "string" ? sql : sql.text;
      const result = await guard(client.query<Row>(text, parameters === undefined ? undefined : [...parameters]));
      const last: pg.QueryResult<Row> | undefined = Array.isArray(result) ? result.at(-1) : result;
      return last?.rows ?? [];
    },
    copyTo: ({ text }) => client.query(to(text)),
    copyFrom: ({ text }) => client.query(from(text)),
    sanitizeError,
    close: () => client.end().catch(() => undefined),
  };
}
