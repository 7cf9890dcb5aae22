import { activeRequest } from "../../lib/active-request.ts";
import type { Database, Queryable } from "../database.ts";
import { isCancelled } from "../errors.ts";
import { type Replica, watchReplica } from "./replica.ts";
import { readServerState, type ServerState } from "./server-state.ts";

/** The content on the primary from which a server's responses are computed. */
export interface RequiredContent {
  /** Begins with the sum of the versions: `VERSION.TIME`. */
  readonly id: string;
  readonly changedAt: Date;
}

/** A replica's usage, for metrics. */
export interface ReplicaStatus {
  readonly number: number;
  readonly isUsed: boolean;
  /** Null while it cannot be used. */
  readonly lagSeconds: number | null;
  /** Statements that failed on it and were repeated on another server. */
  readonly fallbackCount: number;
}

/** A database's streaming replicas, which run request statements. */
export interface Replicas {
  /** The primary; its statements outside of transactions run on a replica that has the active request's content. */
  readonly readDatabase: Database;
  /** Records the content of a chain that the server has read on the primary: null if its version is unknown, undefined if it is not indexed. */
  requireContent(chainId: number, content: RequiredContent | null | undefined): void;
  status(): readonly ReplicaStatus[];
  /** The replicas' connections, by name. */
  readonly pools: Readonly<Record<string, Database>>;
  close(): Promise<void>;
}

export interface ReplicasOptions {
  readonly primary: Database;
  /** For each replica, connections for statements and one for its state. */
  readonly replicas: readonly { readonly database: Database; readonly monitor: Database }[];
  /** Called when a replica can no longer be used, with the reason, and with null when it can be used again. */
  readonly onChange: (replica: number, problem: string | null) => void;
}

/** Reads the version and the time of a chain's content. */
const parseContent = ({ id, changedAt }: RequiredContent) => ({ version: Number(id.split(".", 1)[0]), changedAt: changedAt.getTime() });

/**
 * Watches replicas and chooses one for each statement. A replica runs statements of a request only if it has replayed at least the content of the
 * request's chains that this server has read on the primary, so that responses never go back in time, and no cached value is older than its key. After a
 * failover, a diverged former primary's last change is older than its successor's.
 */
export function createReplicas({ primary, replicas: opened, onChange }: ReplicasOptions): Replicas {
  const required = new Map<number, ReturnType<typeof parseContent> | null>();
  const fallbacks = opened.map(() => 0);
  let identity: Promise<string> | undefined;
  const identityOfPrimary = (): Promise<string> => {
    identity ??= readServerState(primary).then((state) => state.identity);
    // A failure is not cached.
    identity.catch(() => {
      identity = undefined;
    });
    return identity;
  };
  const hasContent = ({ contents }: ServerState, chainIds: Iterable<number>): boolean => {
    for (const chainId of chainIds) {
      const needed = required.get(chainId);
      if (needed === null) return false;
      if (needed === undefined) continue;
      const replayed = contents.get(chainId);
      if (replayed === undefined || replayed.version < needed.version || replayed.changedAt < needed.changedAt) return false;
    }
    return true;
  };
  const replicas = opened.map(({ database, monitor }, index) =>
    watchReplica({
      number: index + 1,
      database,
      monitor,
      identity: identityOfPrimary,
      isBehind: (state) => !hasContent(state, required.keys()),
      onChange: (problem) => onChange(index + 1, problem),
    }),
  );
  const choose = (failed?: Replica): Replica | undefined => {
    const chainIds = activeRequest()?.chainIds ?? required.keys();
    const needed = [...chainIds];
    let chosen: Replica | undefined;
    let lowestLag = 0;
    for (const replica of replicas) {
      const state = replica.state();
      if (replica === failed || state === null || !hasContent(state, needed)) continue;
      const isLessBusy = chosen === undefined || replica.runningCount() < chosen.runningCount();
      if (!isLessBusy && (replica.runningCount() !== chosen?.runningCount() || state.lagSeconds >= lowestLag)) continue;
      chosen = replica;
      lowestLag = state.lagSeconds;
    }
    return chosen;
  };
  /**
   * Runs a statement on a replica. A failed one is repeated unless its time is up: the replica may be lost or lack a table, or the statement may
   * conflict with its recovery. It is repeated on another replica first, because the primary may be lost as well, and then on the primary.
   */
  const route = async <T>(work: (database: Queryable) => Promise<T>, failed?: Replica): Promise<T> => {
    const replica = choose(failed);
    if (replica === undefined) return work(primary);
    try {
      return await replica.run(() => work(replica.database));
    } catch (error) {
      if (isCancelled(error) || activeRequest()?.signal.aborted === true) throw error;
      fallbacks[replica.number - 1] = (fallbacks[replica.number - 1] ?? 0) + 1;
      replica.check();
      return failed === undefined ? route(work, replica) : work(primary);
    }
  };
  return {
    readDatabase: {
      ...primary,
      query: (sql, parameters) => route((database) => database.query(sql, parameters)),
      run: (statement) => route((database) => database.run(statement)),
    },
    requireContent(chainId, content) {
      if (content === undefined) required.delete(chainId);
      else required.set(chainId, content === null ? null : parseContent(content));
      for (const replica of replicas) replica.check();
    },
    status: () =>
      replicas.map((replica) => {
        const state = replica.state();
        const { number } = replica;
        return { number, isUsed: state !== null, lagSeconds: state?.lagSeconds ?? null, fallbackCount: fallbacks[number - 1] ?? 0 };
      }),
    pools: Object.fromEntries(replicas.map(({ number, database }) => [`replica ${number}`, database])),
    async close() {
      await Promise.all(replicas.map((replica) => replica.close()));
    },
  };
}
