import { abortable, sleep } from "../lib/async.ts";
import type { Database } from "./database.ts";
import { type DatabaseDescription, DatabaseUnavailable } from "./errors.ts";

/** A database that a process can do without: while it is lost, its statements are rejected immediately, so that nothing waits for it. */
export interface WatchedDatabase {
  /** Why it cannot be used, as a sentence; null if it can be used. */
  problem(): string | null;
  /** The same connections; their statements and transactions are rejected while the database is lost. */
  guard(connections: Database): Database;
  close(): Promise<void>;
}

export interface WatchOptions {
  readonly description: DatabaseDescription;
  /** A separate connection, so that the watch does not wait for statements. */
  readonly monitor: Database;
  /** Called when the database is lost, with the reason, and with null when it can be used again. */
  readonly onChange: (problem: string | null) => void;
}

const intervalMilliseconds = 500;
/** How long the database may take to respond to a trivial statement: even an overloaded one responds sooner. */
const maxSilenceMilliseconds = 3_000;

/** Watches a database until it is closed. */
export function watchDatabase({ description, monitor, onChange }: WatchOptions): WatchedDatabase {
  const closed = new AbortController();
  const guarded: Database[] = [];
  let lost: DatabaseUnavailable | null = null;
  /** Why the database is lost, or a problem that is known without a statement. */
  const currentError = (): DatabaseUnavailable | null => {
    if (lost !== null) return lost;
    const reported = description.problem?.() ?? null;
    return reported === null ? null : new DatabaseUnavailable("", reported, description);
  };
  const lose = (error: unknown): void => {
    const before = lost;
    lost = describe(error, description);
    if (before === null) onChange(lost.summary);
    for (const database of guarded) database.abandonConnections();
    monitor.abandonConnections();
  };
  const read = async (): Promise<void> => {
    try {
      await abortable(AbortSignal.timeout(maxSilenceMilliseconds), monitor.query("SELECT 1"));
      const before = lost;
      lost = null;
      if (before !== null) onChange(null);
    } catch (error) {
      if (!closed.signal.aborted) lose(error);
    }
  };
  const watch = async (): Promise<void> => {
    while (!closed.signal.aborted) {
      await read();
      await sleep(intervalMilliseconds, closed.signal, { ref: false });
    }
  };
  const watching = watch();
  return {
    problem: () => currentError()?.summary ?? null,
    guard(connections) {
      guarded.push(connections);
      const unlessLost = <Result>(work: () => Promise<Result>): Promise<Result> => {
        const error = currentError();
        return error === null ? work() : Promise.reject(error);
      };
      return {
        ...connections,
        query: (sql, parameters) => unlessLost(() => connections.query(sql, parameters)),
        run: (statement) => unlessLost(() => connections.run(statement)),
        transaction: (work, options) => unlessLost(() => connections.transaction(work, options)),
      };
    },
    async close() {
      closed.abort();
      // Ends a statement to which the database does not respond.
      monitor.abandonConnections();
      await watching;
      await monitor.close();
    },
  };
}

const describe = (error: unknown, description: DatabaseDescription): DatabaseUnavailable => {
  if (error instanceof DatabaseUnavailable) return error;
  const isSilent = error instanceof Error && error.name === "TimeoutError";
  const reason = isSilent ? `it has not responded for ${maxSilenceMilliseconds / 1_000} s` : "it failed to run a statement";
  return new DatabaseUnavailable(isSilent ? "ETIMEDOUT" : "XX000", reason, description);
};
