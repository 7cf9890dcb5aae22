import type { Database, DatabaseClient, Queryable } from "../../database/database.ts";
import { DatabaseUnavailable } from "../../database/errors.ts";
import { nullOnAbort, sleep } from "../../lib/async.ts";

/** This process has lost the lock that allows it to write a chain's index: another process may hold it. */
export class LeadershipLostError extends Error {
  override readonly name = "LeadershipLostError";

  constructor(chain: string) {
    super(`Lost the database connection that holds the lock of ${chain}: nothing is written until the lock is acquired again.`);
  }
}

type Connection = Pick<Queryable, "query">;

/** The right to write one chain's rows, for as long as its lock is held. */
export interface Leadership {
  /** Aborts as soon as the lock is found to be lost. */
  readonly lostSignal: AbortSignal;
  /**
   * Verifies that the lock is held; called in every writing transaction after it has locked the checkpoints that it advances: the next leader waits for these
   * rows and then sees the new checkpoints. @throws {LeadershipLostError}
   */
  guard(client: Connection): Promise<void>;
}

export interface LeaderDeps {
  readonly database: Pick<Database, "transaction" | "abandonConnections">;
  readonly chain: { readonly id: number; readonly name: string };
  readonly logger: { info(message: string): void; warn(message: string): void };
  readonly waitMilliseconds?: number;
  readonly beatMilliseconds?: number;
  /** How long the chain's node has been silent to this process, in milliseconds. */
  readonly nodeSilentMilliseconds?: (() => number) | undefined;
  /** If its node is silent for this long, a leader lets another process become the leader. */
  readonly maxSilenceMilliseconds?: number | undefined;
}

const defaultWaitMilliseconds = 500;
/** If the lock's connection gets no response for this long, it is considered broken. */
const connectionTimeoutMilliseconds = 5_000;
/** Longer than the 30 s timeout of node requests, so that a second attempt can succeed. */
const defaultMaxSilenceMilliseconds = 45_000;
/** How long a transaction may take to start: to wait for a pool connection, connect, configure the connection, and begin. */
const startMilliseconds = 30_000;

/**
 * The first two settings keep the server from terminating the idle transaction; the keepalives release the lock 11 seconds after the leader's machine has
 * disappeared.
 */
const settings = `SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0;
  SET LOCAL tcp_keepalives_idle = 5; SET LOCAL tcp_keepalives_interval = 2; SET LOCAL tcp_keepalives_count = 3`;

/**
 * Elects one process per chain by an advisory lock on a dedicated connection. The lock belongs to an open transaction rather than to the session, so that
 * it also works behind a connection pooler; the transaction has no snapshot, and does not hold back vacuum.
 */
export const createLeader = (deps: LeaderDeps) => ({
  /** Waits for the lock, runs the work while it is held, and releases it. Returns without running the work if the signal aborts first. */
  lead: async (signal: AbortSignal, work: (leadership: Leadership) => Promise<void>): Promise<void> => {
    const release = new AbortController();
    const lost = new AbortController();
    const silent = new AbortController();
    let onAcquired: (lock: HeldLock | null) => void = () => undefined;
    const acquired = new Promise<HeldLock | null>((resolve) => {
      onAcquired = resolve;
    });
    // The connection is not reused: after a failover, it may lead to a server that is no longer the primary.
    const options = { closesConnection: true, abandoned: silent.signal };
    const starting = setTimeout(() => silent.abort(), startMilliseconds);
    const holding = deps.database
      .transaction(async (client) => {
        clearTimeout(starting);
        const connection = boundedConnection(client, silent);
        await connection.query(settings);
        const lock = await acquire(connection, deps, signal);
        onAcquired(lock);
        if (lock !== null) await keepAlive(connection, deps, release.signal);
      }, options)
      .finally(() => {
        clearTimeout(starting);
        // The work's statements may wait for the same server.
        if (silent.signal.aborted) deps.database.abandonConnections();
      });
    const ended = holding.finally(() => lost.abort());
    ended.catch(() => undefined);
    let wasLost = false;
    const lock = await Promise.race([acquired, ended.then(() => null)]);
    if (lock === null) return ended;
    const guard = async (client: Connection): Promise<void> => {
      if (!lost.signal.aborted && (await isHeld(client, lock))) return;
      lost.abort();
      throw new LeadershipLostError(deps.chain.name);
    };
    try {
      await work({ lostSignal: lost.signal, guard });
    } finally {
      wasLost = lost.signal.aborted;
      release.abort();
      // An unresponsive connection must not delay the return, and a pending timer must not keep the process alive.
      const cancelWait = new AbortController();
      await Promise.race([ended.catch(() => undefined), sleep(connectionTimeoutMilliseconds, cancelWait.signal)]);
      cancelWait.abort();
    }
    // A process that lost the lock gives a waiting process time to acquire it.
    if (wasLost) await sleep(2 * (deps.waitMilliseconds ?? defaultWaitMilliseconds), signal);
  },
});

/** The lock's row in pg_locks. */
interface HeldLock {
  readonly pid: number;
  readonly classid: number;
  readonly objid: number;
}

/** A connection with short statements: if one gets no response in time, the connection is abandoned, because a ROLLBACK would also wait. */
const boundedConnection = (client: DatabaseClient, silent: AbortController): Connection => ({
  query: async (text, parameters) => {
    const rows = await nullOnAbort(client.query<never>(text, parameters), AbortSignal.timeout(connectionTimeoutMilliseconds));
    if (rows !== null) return rows;
    silent.abort();
    throw new DatabaseUnavailable("ETIMEDOUT", "it did not respond in time");
  },
});

const acquire = async (client: Connection, deps: LeaderDeps, signal: AbortSignal): Promise<HeldLock | null> => {
  for (let waits = 0; !signal.aborted; waits += 1) {
    const [attempt] = await client.query<{ taken: boolean }>(
      "SELECT pg_try_advisory_xact_lock(hashtextextended('ashlar indexes chain ' || $1::text, 0)) AS taken",
      [deps.chain.id],
    );
    if (attempt?.taken === true) {
      const [lock] = await client.query<HeldLock>(
        "SELECT pid, classid::int8, objid::int8 FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()",
      );
      if (waits > 0) deps.logger.info(`The other process stopped indexing ${deps.chain.name}; taking over.`);
      return lock ?? null;
    }
    if (waits === 0) {
      deps.logger.info(`Another process is indexing ${deps.chain.name}; waiting to take over when it stops.`);
    }
    await sleep(deps.waitMilliseconds ?? defaultWaitMilliseconds, signal);
  }
  return null;
};

/** Returns when the lock is released, or should be released because the node does not respond. @throws {DatabaseUnavailable} */
const keepAlive = async (client: Connection, deps: LeaderDeps, released: AbortSignal): Promise<void> => {
  const { chain, logger, nodeSilentMilliseconds = () => 0, maxSilenceMilliseconds = defaultMaxSilenceMilliseconds } = deps;
  const startedAt = performance.now();
  while (!released.aborted) {
    await sleep(deps.beatMilliseconds ?? 1_000, released);
    await client.query("SELECT 1");
    // Counted from the takeover, so that each attempt takes some time.
    const silence = Math.min(nodeSilentMilliseconds(), performance.now() - startedAt);
    if (silence < maxSilenceMilliseconds) continue;
    logger.warn(`The node of ${chain.name} has not responded for ${Math.round(silence / 1_000)} s: another process may take over.`);
    return;
  }
};

const isHeld = async (client: Connection, { pid, classid, objid }: HeldLock): Promise<boolean> => {
  const held = await client.query(
    `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid = $1 AND classid::int8 = $2 AND objid::int8 = $3
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [pid, classid, objid],
  );
  return held.length > 0;
};
