import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** A worker that handles connections. */
export interface ConnectionWorker {
  /** Sends a connection to the worker, which reports it as taken. */
  send(socket: Socket): void;
}

/** The listening socket of a server with several processes. */
export interface Connections {
  readonly address: AddressInfo;
  /** Starts handing connections over to a worker. */
  add(worker: ConnectionWorker): void;
  /** Stops handing connections over to a worker that has exited, and gives those that it has not taken to others. */
  remove(worker: ConnectionWorker): void;
  /** Reports how many connections a worker has taken, in the order in which they were sent, and how many were closed since the last report. */
  report(worker: ConnectionWorker, taken: number, closed: number): void;
  /** Stops listening. */
  close(): void;
}

/** Where to listen: an address, or a socket that the process has inherited. */
export type Listen = { readonly port: number; readonly host: string } | { readonly fd: number };

/** Connections wait for a worker while none is running, up to this number and time. */
const maxWaiting = 1_024;
const waitMilliseconds = 10_000;

interface Load {
  /** Connections that the worker has or will take. */
  open: number;
  /** Those that it has not taken. They stay open in this process, because the worker may exit before it takes them. */
  untaken: Socket[];
}

/**
 * Listens, and hands each connection over to the worker with the fewest. This process keeps the listening socket: while workers are restarted, connections
 * wait instead of being refused. @throws {Error} if it cannot listen
 */
export async function openConnections(listen: Listen): Promise<Connections> {
  const loads = new Map<ConnectionWorker, Load>();
  const waiting = new Set<Socket>();

  const handOver = (socket: Socket): void => {
    if (socket.destroyed) return;
    const [least] = [...loads].sort(([, left], [, right]) => left.open - right.open);
    if (least === undefined) {
      wait(socket);
      return;
    }
    const [worker, load] = least;
    load.open += 1;
    load.untaken.push(socket);
    worker.send(socket);
  };
  const wait = (socket: Socket): void => {
    if (waiting.size >= maxWaiting) {
      socket.destroy();
      return;
    }
    waiting.add(socket);
    setTimeout(() => {
      if (waiting.delete(socket)) socket.destroy();
    }, waitMilliseconds).unref();
  };
  const handOverWaiting = (): void => {
    const sockets = [...waiting];
    waiting.clear();
    sockets.forEach(handOver);
  };

  // The worker reads the first bytes. The other options are those of node:http.
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, (socket) => {
    socket.on("error", () => undefined);
    handOver(socket);
  });
  const listening = once(server, "listening");
  server.listen(listen);
  await listening;
  return {
    address: server.address() as AddressInfo,
    add(worker) {
      loads.set(worker, { open: 0, untaken: [] });
      handOverWaiting();
    },
    remove(worker) {
      const sockets = loads.get(worker)?.untaken ?? [];
      loads.delete(worker);
      sockets.forEach(handOver);
    },
    report(worker, taken, closed) {
      const load = loads.get(worker);
      if (load === undefined) return;
      load.open -= closed;
      for (const socket of load.untaken.splice(0, taken)) socket.destroy();
    },
    close() {
      server.close();
      for (const socket of waiting) socket.destroy();
      waiting.clear();
    },
  };
}
