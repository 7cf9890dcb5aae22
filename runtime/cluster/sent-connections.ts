import type { Socket } from "node:net";

/** A worker that handles connections. */
export interface ConnectionWorker {
  /** Sends a connection to the worker, which reports it as taken, or as declined if it arrives late (see `isLate`). */
  send(socket: Socket, sent: SentConnection): void;
}

/** A connection that was sent to a worker. */
export interface SentConnection {
  readonly id: number;
  /** By `monotonicMilliseconds`. */
  readonly sentAt: number;
}

/** A worker's report about the connections that were sent to it. */
export interface ConnectionReport {
  readonly taken: readonly number[];
  readonly declined: readonly number[];
  /** The number of taken connections that were closed. */
  readonly closedCount: number;
}

/** The connections that were sent to one worker. */
export interface SentConnections {
  send(socket: Socket): void;
  /** The number of connections that the worker has or will take. */
  openCount(): number;
  /** Whether a connection has waited so long for the worker that new ones should go to other workers. */
  isSlow(): boolean;
  /** The connections that the worker has not taken. */
  untaken(): Socket[];
  /** Withdraws the connections that the worker would now decline. */
  withdrawExpired(): Socket[];
  /** Applies a worker's report, and returns the connections that it has declined. */
  report(report: ConnectionReport): Socket[];
}

const slowMilliseconds = 1_000;
/** A worker declines connections that were sent longer than this ago. */
const lateMilliseconds = 5_000;
/**
 * The age from which a connection that was neither taken nor declined is sent to another worker. Two workers must never read the same connection: the
 * difference from `lateMilliseconds` is the time in which a worker, even if it is suspended meanwhile, has to report a connection that it takes.
 */
const expiredMilliseconds = 10_000;

/** Whether a connection arrived so late that the worker must decline it, because another worker may already have it. */
export const isLate = ({ sentAt }: SentConnection, now: number): boolean => now - sentAt > lateMilliseconds;

export function createSentConnections(worker: ConnectionWorker, now: () => number): SentConnections {
  /** In the order in which they were sent. They stay open in this process, because the worker may exit before it takes them. */
  const untaken = new Map<number, { readonly socket: Socket; readonly sentAt: number }>();
  let open = 0;
  let lastId = 0;

  const withdraw = (id: number): Socket[] => {
    const entry = untaken.get(id);
    if (entry === undefined) return [];
    untaken.delete(id);
    open -= 1;
    return [entry.socket];
  };
  const oldest = (): number => {
    for (const { sentAt } of untaken.values()) return sentAt;
    return Number.POSITIVE_INFINITY;
  };
  return {
    send(socket) {
      lastId += 1;
      const sent: SentConnection = { id: lastId, sentAt: now() };
      open += 1;
      untaken.set(sent.id, { socket, sentAt: sent.sentAt });
      worker.send(socket, sent);
    },
    openCount: () => open,
    isSlow: () => now() - oldest() > slowMilliseconds,
    untaken: () => [...untaken.values()].map(({ socket }) => socket),
    withdrawExpired: () => [...untaken].filter(([, { sentAt }]) => now() - sentAt > expiredMilliseconds).flatMap(([id]) => withdraw(id)),
    report({ taken, declined, closedCount }) {
      open -= closedCount;
      for (const id of taken) {
        // A copy of the connection stays open in the worker.
        untaken.get(id)?.socket.destroy();
        untaken.delete(id);
      }
      return declined.flatMap(withdraw);
    },
  };
}
