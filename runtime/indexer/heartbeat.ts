import type { Queryable } from "../database/database.ts";

/** Records in the database that a chain is being indexed; server readiness depends on it. */
export interface Heartbeat {
  /** Reports progress: the index is at the node's head, or a batch was written. */
  beat(): void;
  /** Reports a failure after which the loop retries; the next beat removes it. */
  fail(reason: string): void;
  /** Stores why the loop has stopped, if the database can be written to. */
  stop(reason: string): Promise<void>;
  /** Waits for a statement that is still running. */
  settled(): Promise<void>;
}

export interface HeartbeatDeps {
  readonly database: Queryable;
  readonly chainId: number;
  /** Monotonic clock milliseconds. */
  readonly now?: () => number;
  /** The min time between two statements. */
  readonly intervalMilliseconds?: number;
}

/** Short enough for readiness to detect within 15 s that no process is indexing. */
const defaultIntervalMilliseconds = 5_000;
/** A failure's message may contain a node's entire response. */
const maxReasonLength = 500;

/** Creates a chain's heartbeat: at most one statement per interval; the indexing loop does not wait for it. */
export const createHeartbeat = ({
  database,
  chainId,
  now = () => performance.now(),
  intervalMilliseconds = defaultIntervalMilliseconds,
}: HeartbeatDeps): Heartbeat => {
  let pending: Promise<void> = Promise.resolve();
  let isWriting = false;
  let lastBeat = Number.NEGATIVE_INFINITY;
  let lastFailure = Number.NEGATIVE_INFINITY;

  /** Uses PostgreSQL's clock, because a server and an indexer may run on machines with different clocks. */
  const write = (isAlive: boolean, failure: string | null, isStopped: boolean): void => {
    isWriting = true;
    pending = database
      .query(upsert, [chainId, isAlive, failure?.slice(0, maxReasonLength) ?? null, isStopped])
      .catch(() => undefined) // The loop's own failure is logged.
      .then(() => {
        isWriting = false;
      });
  };

  return {
    beat: () => {
      if (isWriting || now() - lastBeat < intervalMilliseconds) return;
      lastBeat = now();
      lastFailure = Number.NEGATIVE_INFINITY;
      write(true, null, false);
    },
    fail: (reason) => {
      if (isWriting || now() - lastFailure < intervalMilliseconds) return;
      lastFailure = now();
      // The next beat is written immediately, because it removes the failure.
      lastBeat = Number.NEGATIVE_INFINITY;
      write(false, reason, false);
    },
    stop: async (reason) => {
      await pending;
      write(false, reason, true);
      await pending;
    },
    settled: () => pending,
  };
};

const upsert = `INSERT INTO indexer_heartbeats AS h (chain_id, alive_at, failure, is_stopped) VALUES ($1, CASE WHEN $2 THEN now() END, $3, $4)
   ON CONFLICT (chain_id) DO UPDATE SET alive_at = coalesce(excluded.alive_at, h.alive_at), failure = excluded.failure, is_stopped = excluded.is_stopped`;
