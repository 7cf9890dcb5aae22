import { Socket } from "node:net";
import type pg from "pg";
import { backoff, sleep } from "../lib/async.ts";
import { clientOf } from "./hosts/client.ts";

/**
 * Whether the database reports changes: `connected` if all changes up to one second ago are known, `unsupported` on a standby and behind a pooler, which never
 * report any, `disconnected` before the connection is made and while it is lost or slow.
 */
export type NotificationState = "connected" | "unsupported" | "disconnected";

/** One channel's notifications (PostgreSQL, "NOTIFY"). */
export interface Notifications {
  state(): NotificationState;
  /** Calls the listener with each notification's payload, and with null after the connection changes; connects on the first call. */
  subscribe(listener: NotificationListener): () => void;
  close(): Promise<void>;
}

/** Called with a notification's payload; null if notifications may have been missed before. */
export type NotificationListener = (payload: string | null) => void;

/** Options for a listening connection. */
export interface NotificationOptions {
  /** The database URL, read again for each attempt to connect. */
  readonly url: () => string;
  /** An SQL identifier. */
  readonly channel: string;
  readonly applicationName: string;
  /** How long to wait before support is checked again, because a standby may have been promoted; one minute by default. */
  readonly recheckMilliseconds?: number;
}

const connectMilliseconds = 10_000;
/** How long the server may take to end a connection. */
const endMilliseconds = 500;
const retry = { base: 100, max: 5_000 };
/** The heartbeat interval. The response to a heartbeat follows all earlier notifications. */
const heartbeatMilliseconds = 400;
/** Max age of the last heartbeat that got a response. */
const maxSilenceMilliseconds = 1_000;
/** SQLSTATE: LISTEN on a standby. */
const readOnlySqlTransaction = "25006";

/** Creates a dedicated connection that listens to a channel, and reconnects when it is lost. */
export function createNotifications({ recheckMilliseconds = 60_000, ...options }: NotificationOptions): Notifications {
  const listeners = new Set<NotificationListener>();
  const closed = new AbortController();
  let isUnsupported = false;
  /** The start time of the current connection's last acknowledged heartbeat. */
  let confirmedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;
  const emit: NotificationListener = (payload) => {
    for (const listener of listeners) listener(payload);
  };
  const confirm = (startedAt: number): void => {
    confirmedAt = startedAt;
  };
  const run = async (): Promise<void> => {
    for (let failures = 1; !closed.signal.aborted; failures += 1) {
      const socket = new Socket();
      const client = createClient(options, socket);
      const lost = untilClosed(client, closed.signal);
      // Also ends a heartbeat or connection attempt that the server does not respond to.
      const ended = lost.then(() => endConnection(client, socket));
      try {
        const startedAt = performance.now();
        isUnsupported = !(await Promise.race([listen(client, options.channel, emit), lost.then(connectionLost)]));
        failures = 0;
        if (!isUnsupported) confirm(startedAt);
        emit(null);
        if (!isUnsupported) await sendHeartbeats(client, lost, confirm);
      } catch {
        // The next attempt follows; whether it will be supported is unknown.
        isUnsupported = false;
      }
      confirmedAt = Number.NEGATIVE_INFINITY;
      await Promise.race([ended, endConnection(client, socket)]);
      await sleep(isUnsupported ? recheckMilliseconds : backoff(Math.max(1, failures), retry), closed.signal, { ref: false });
    }
  };
  return {
    state: () => {
      if (isUnsupported) return "unsupported";
      return performance.now() - confirmedAt <= maxSilenceMilliseconds ? "connected" : "disconnected";
    },
    subscribe(listener) {
      listeners.add(listener);
      running ??= run();
      return () => void listeners.delete(listener);
    },
    async close() {
      closed.abort();
      await running;
    },
  };
}

/** Ends a connection: gracefully, or immediately if the server does not respond. */
async function endConnection(client: pg.Client, socket: Socket): Promise<void> {
  const timer = setTimeout(() => socket.destroy(), endMilliseconds);
  await client.end().catch(() => undefined);
  clearTimeout(timer);
  socket.destroy();
}

const createClient = ({ url, applicationName }: NotificationOptions, socket: Socket): pg.Client => {
  const Client = clientOf(url);
  return new Client({
    stream: () => socket,
    application_name: applicationName,
    connectionTimeoutMillis: connectMilliseconds,
    // A connection that does not respond is replaced.
    query_timeout: connectMilliseconds,
    keepAlive: true,
  });
};

/** Resolves when the connection ends or the signal aborts. */
const untilClosed = (client: pg.Client, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      signal.removeEventListener("abort", end);
      resolve();
    };
    client.on("error", end);
    client.on("end", end);
    signal.addEventListener("abort", end);
  });

function connectionLost(): never {
  throw new Error("The connection was lost.");
}

/** Connects and listens. Returns false if notifications cannot arrive: behind a pooler, whose process ids are not the server's, or on a standby. */
async function listen(client: pg.Client, channel: string, emit: NotificationListener): Promise<boolean> {
  await client.connect();
  const processId = "processID" in client ? client.processID : null;
  const { rows } = await client.query<{ is_direct: boolean }>("SELECT pg_backend_pid() = $1::int4 AS is_direct", [processId]);
  if (rows[0]?.is_direct !== true) return false;
  client.on("notification", ({ payload = "" }) => emit(payload));
  try {
    await client.query(`LISTEN ${channel}`);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === readOnlySqlTransaction) return false;
    throw error;
  }
  return true;
}

/** Sends heartbeats until the connection is lost. */
async function sendHeartbeats(client: pg.Client, lost: Promise<void>, confirm: (startedAt: number) => void): Promise<void> {
  const stopped = new AbortController();
  void lost.then(() => stopped.abort());
  while (!stopped.signal.aborted) {
    await sleep(heartbeatMilliseconds, stopped.signal, { ref: false });
    if (stopped.signal.aborted) return;
    const startedAt = performance.now();
    // Rejects when the connection is lost, and after `query_timeout`.
    await client.query("SELECT 1");
    if (!stopped.signal.aborted) confirm(startedAt);
  }
}
