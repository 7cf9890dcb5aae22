import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { monotonicMilliseconds } from "../lib/monotonic-clock.ts";
import { type ConnectionReport, type ConnectionWorker, createSentConnections, type SentConnections } from "./sent-connections.ts";

/** The listening socket of a multi-process server. */
export interface ConnectionDistributor {
  readonly address: AddressInfo;
  /** Starts handing connections over to a worker. */
  add(worker: ConnectionWorker): void;
  /** Stops handing connections over to a worker that has exited, and hands those that it has not taken to other workers. */
  remove(worker: ConnectionWorker): void;
  report(worker: ConnectionWorker, report: ConnectionReport): void;
  /** Stops listening. */
  close(): void;
}

/** An address to listen on, or a socket that the process has inherited. */
export type ListenAddress = { readonly port: number; readonly host: string } | { readonly fd: number };

export interface ConnectionDistributorOptions {
  /** Called when a connection could not be accepted, for example with EMFILE; the server keeps listening. */
  readonly onError: (error: Error) => void;
  /** `monotonicMilliseconds` by default. */
  readonly now?: () => number;
}

/** While no worker is running, connections wait for one, up to this number and time. */
const maxWaiting = 1_024;
const waitMilliseconds = 10_000;
const checkMilliseconds = 500;

/**
 * Listens, and hands each connection over to the worker with the fewest connections among those that take them in time. This process keeps the
 * listening socket: while workers are restarted, connections wait instead of being refused. @throws {Error} if it cannot listen.
 */
export async function openConnectionDistributor(
  listen: ListenAddress,
  { onError, now = monotonicMilliseconds }: ConnectionDistributorOptions,
): Promise<ConnectionDistributor> {
  const workers = new Map<ConnectionWorker, SentConnections>();
  const waiting = new Set<Socket>();
  let isClosed = false;

  /** Hands a connection over to a worker, preferably not to `from`, which did not take it. */
  const handOver = (socket: Socket, from?: SentConnections): void => {
    if (socket.destroyed) return;
    if (isClosed) return void socket.destroy();
    const worker = leastLoaded([...workers.values()].filter((other) => other !== from)) ?? from;
    if (worker === undefined) wait(socket);
    else worker.send(socket);
  };
  const wait = (socket: Socket): void => {
    if (waiting.size >= maxWaiting) return void socket.destroy();
    waiting.add(socket);
    setTimeout(() => {
      if (waiting.delete(socket)) socket.destroy();
    }, waitMilliseconds).unref();
  };
  const handOverWaiting = (): void => {
    const sockets = [...waiting];
    waiting.clear();
    for (const socket of sockets) handOver(socket);
  };
  /** Hands connections that a worker will no longer take to other workers, if one of these takes connections in time. */
  const checkTimer = setInterval(() => {
    for (const sent of workers.values()) {
      const hasAlternative = [...workers.values()].some((other) => other !== sent && !other.isSlow());
      if (hasAlternative) for (const socket of sent.withdrawExpired()) handOver(socket, sent);
    }
  }, checkMilliseconds).unref();

  // The worker reads the first bytes. The other options match node:http.
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, (socket) => {
    socket.on("error", () => undefined);
    handOver(socket);
  });
  const listening = once(server, "listening");
  server.listen(listen);
  await listening;
  server.on("error", onError);
  return {
    address: server.address() as AddressInfo,
    add(worker) {
      workers.set(worker, createSentConnections(worker, now));
      handOverWaiting();
    },
    remove(worker) {
      const sockets = workers.get(worker)?.untaken() ?? [];
      workers.delete(worker);
      for (const socket of sockets) handOver(socket);
    },
    report(worker, report) {
      const sent = workers.get(worker);
      for (const socket of sent?.report(report) ?? []) handOver(socket, sent);
    },
    close() {
      isClosed = true;
      clearInterval(checkTimer);
      server.close();
      for (const socket of waiting) socket.destroy();
      waiting.clear();
    },
  };
}

/** Of the workers that take connections in time, or of all if none does, the one with the fewest connections. */
function leastLoaded(workers: readonly SentConnections[]): SentConnections | undefined {
  const sorted = [...workers].sort((left, right) => left.openCount() - right.openCount());
  return sorted.find((worker) => !worker.isSlow()) ?? sorted[0];
}
