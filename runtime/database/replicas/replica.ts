import { abortable, sleep } from "../../lib/async.ts";
import type { Database } from "../database.ts";
import { readServerState, type ServerState } from "./server-state.ts";

/** A watched streaming replica. */
export interface Replica {
  /** Its position in `readUrls`, from 1. */
  readonly number: number;
  /** Connections for request statements. */
  readonly database: Database;
  /** The state that it last reported; null while it cannot be used. */
  state(): ServerState | null;
  /** The number of statements running on it. */
  runningCount(): number;
  /** Runs work on it; rejects as soon as it is lost, even if its connections do not fail. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Reads its state soon, because it may have changed. */
  check(): void;
  close(): Promise<void>;
}

export interface ReplicaOptions {
  readonly number: number;
  readonly database: Database;
  /** A connection for its state, so that this does not wait for statements. */
  readonly monitor: Database;
  /** The identity that it must have; rejects while that is unknown. */
  readonly identity: () => Promise<string>;
  /** Whether it lacks content from which the server has already responded; its state is then read again soon. */
  readonly isBehind: (state: ServerState) => boolean;
  /** Called when it can no longer be used, with the reason, and with null when it can be used again. */
  readonly onChange: (problem: string | null) => void;
}

/** A replica that is farther behind is not used: data that the content version does not cover, such as the node's head, would be too old. */
const maxLagSeconds = 10;
/** How long it may take to report its state. */
const stateMilliseconds = 2_000;
/** The interval at which its state is read; while it is behind, the interval starts at the min and doubles. */
const intervalMilliseconds = 500;
const minIntervalMilliseconds = 10;

/** Watches a replica until it is closed. */
export function watchReplica({ number, database, monitor, identity, isBehind, onChange }: ReplicaOptions): Replica {
  const closed = new AbortController();
  const losses = new Set<(error: Error) => void>();
  let current: ServerState | null = null;
  /** The last reported problem; undefined before the first read. */
  let problem: string | null | undefined;
  let waiting = new AbortController();
  let interval = minIntervalMilliseconds;

  const report = (found: string | null): void => {
    const before = problem;
    problem = found;
    // A replica that can be used from the start is not reported.
    if (found !== before && (found !== null || before !== undefined)) onChange(found);
  };
  const lose = (reason: string): void => {
    current = null;
    report(reason);
    for (const reject of losses) reject(new Error(`Replica ${number} was lost.`));
    database.abandonConnections();
    monitor.abandonConnections();
  };
  const read = async (): Promise<void> => {
    // Unknown only until the primary has responded once.
    const expected = await identity().catch(() => null);
    if (expected === null) return;
    try {
      const state = await abortable(AbortSignal.timeout(stateMilliseconds), readServerState(monitor));
      if (state.identity !== expected) return lose("it is not a replica of the database at databaseUrl");
      current = state.lagSeconds > maxLagSeconds ? null : state;
      report(current === null ? `it is more than ${maxLagSeconds} s behind` : null);
    } catch (error) {
      if (!closed.signal.aborted) lose(reasonOf(error));
    }
  };
  const watch = async (): Promise<void> => {
    while (!closed.signal.aborted) {
      await read();
      if (closed.signal.aborted) return;
      interval = current !== null && isBehind(current) ? Math.min(intervalMilliseconds, interval * 2) : intervalMilliseconds;
      waiting = new AbortController();
      await sleep(interval, waiting.signal, { ref: false });
      // The minimum interval, however often the content changes.
      await sleep(minIntervalMilliseconds, closed.signal, { ref: false });
    }
  };
  const watching = watch();
  return {
    number,
    database,
    state: () => current,
    runningCount: () => losses.size,
    run: (work) =>
      new Promise((resolve, reject) => {
        losses.add(reject);
        const end = (): void => void losses.delete(reject);
        work().then(
          (result) => {
            end();
            resolve(result);
          },
          (error: unknown) => {
            end();
            reject(error);
          },
        );
      }),
    check() {
      interval = minIntervalMilliseconds;
      waiting.abort();
    },
    async close() {
      closed.abort();
      waiting.abort();
      // Ends a state read to which the server does not respond.
      monitor.abandonConnections();
      await watching;
      await Promise.all([database.close(), monitor.close()]);
    },
  };
}

/** The reason without the replica's name, which is in the log line. */
const reasonOf = (error: unknown): string => {
  if (error instanceof Error && "reason" in error && typeof error.reason === "string") return error.reason;
  if (error instanceof Error && error.name === "TimeoutError") return `it did not report its state within ${stateMilliseconds / 1000} s`;
  return error instanceof Error ? error.message : String(error);
};
