import type { Database, DatabaseClient, Queryable } from "../../database/database.ts";
import { DatabaseUnavailable } from "../../database/errors.ts";
import { nullOnAbort, sleep } from "../../lib/async.ts";

/** The lock that allows this process to write a chain is lost: another process may hold it. */
export class LeadershipLostError extends Error {
  override readonly name = "LeadershipLostError";

  constructor(chain: string) {
    super(`The connection that holds the lock of ${chain} is lost: nothing is written until the lock is acquired again.`);
  }
}

/** The right to write one chain's rows, for as long as its lock is held. */
export interface Leadership {
  /** Aborts as soon as the loss of the lock is noticed. */
  readonly lost: AbortSignal;
  /**
   * Verifies the lock; called in every transaction that writes, after it has locked the checkpoints that it moves: the next leader waits for these
   * rows, and finds them moved. @throws {LeadershipLostError}
   */
  guard(client: Queryable): Promise<void>;
}

export interface LeaderDeps {
  readonly database: Pick<Database, "transaction">;
  readonly chain: { readonly id: number; readonly name: string };
  readonly logger: { info(message: string): void };
  readonly waitMilliseconds?: number;
  readonly beatMilliseconds?: number;
}

const defaultWaitMilliseconds = 500;
/** The lock's connection is considered broken after this time without a response. */
const silenceMilliseconds = 5_000;

/**
 * The first two settings keep the server from ending the idle transaction; the keepalives free the lock of a machine that
 * vanished, after 11 seconds.
 */
const settings = `SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0;
  SET LOCAL tcp_keepalives_idle = 5; SET LOCAL tcp_keepalives_interval = 2; SET LOCAL tcp_keepalives_count = 3`;

/**
 * Elects one process per chain by an advisory lock on a dedicated connection. The lock belongs to an open transaction rather than to the session, so that
 * it also works behind a connection pooler; the transaction has no snapshot, and does not hold back vacuum.
 */
export const createLeader = (deps: LeaderDeps) => ({
  /** Waits for the lock, runs the work while it is held, and releases it. Ends without running it if the signal aborts first. */
  lead: async (signal: AbortSignal, work: (leadership: Leadership) => Promise<void>): Promise<void> => {
    const release = new AbortController();
    const lost = new AbortController();
    let onTaken: (place: LockPlace | null) => void = () => undefined;
    const taken = new Promise<LockPlace | null>((resolve) => {
      onTaken = resolve;
    });
    const holding = deps.database.transaction(async (client) => {
      await client.query(settings);
      const place = await take(client, deps, signal);
      onTaken(place);
      if (place !== null) await beat(client, deps, release.signal);
    });
    const ended = holding.finally(() => lost.abort());
    ended.catch(() => undefined);
    let wasLost = false;
    const place = await Promise.race([taken, ended.then(() => null)]);
    if (place === null) return ended;
    const guard = async (client: Queryable): Promise<void> => {
      if (!lost.signal.aborted && (await isHeld(client, place))) return;
      lost.abort();
      throw new LeadershipLostError(deps.chain.name);
    };
    try {
      await work({ lost: lost.signal, guard });
    } finally {
      wasLost = lost.signal.aborted;
      release.abort();
      // An unresponsive connection must not delay the return, and a pending timer must not delay the end of the process.
      const waited = new AbortController();
      await Promise.race([ended.catch(() => undefined), sleep(silenceMilliseconds, waited.signal)]);
      waited.abort();
    }
    // A process that lost the lock lets a waiting process take it.
    if (wasLost) await sleep(2 * (deps.waitMilliseconds ?? defaultWaitMilliseconds), signal);
  },
});

/** The lock as pg_locks shows it. */
interface LockPlace {
  readonly pid: number;
  readonly classid: number;
  readonly objid: number;
}

const take = async (client: DatabaseClient, deps: LeaderDeps, signal: AbortSignal): Promise<LockPlace | null> => {
  for (let waits = 0; !signal.aborted; waits += 1) {
    const [tried] = await client.query<{ taken: boolean }>(
      "SELECT pg_try_advisory_xact_lock(hashtextextended('ashlar indexes chain ' || $1::text, 0)) AS taken",
      [deps.chain.id],
    );
    if (tried?.taken === true) {
      const [place] = await client.query<LockPlace>(
        "SELECT pid, classid::int8, objid::int8 FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()",
      );
      if (waits > 0) deps.logger.info(`${deps.chain.name}: the other process has stopped indexing; this one takes over.`);
      return place ?? null;
    }
    if (waits === 0) {
      deps.logger.info(`${deps.chain.name} is indexed by another process; this one waits and takes over when that one stops.`);
    }
    await sleep(deps.waitMilliseconds ?? defaultWaitMilliseconds, signal);
  }
  return null;
};

const beat = async (client: DatabaseClient, deps: LeaderDeps, released: AbortSignal): Promise<void> => {
  while (!released.aborted) {
    await sleep(deps.beatMilliseconds ?? 1_000, released);
    const response = await nullOnAbort(client.query("SELECT 1"), AbortSignal.timeout(silenceMilliseconds));
    if (response === null) throw new DatabaseUnavailable("ETIMEDOUT", "no response in time");
  }
};

const isHeld = async (client: Queryable, { pid, classid, objid }: LockPlace): Promise<boolean> => {
  const held = await client.query(
    `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid = $1 AND classid::int8 = $2 AND objid::int8 = $3
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [pid, classid, objid],
  );
  return held.length > 0;
};
