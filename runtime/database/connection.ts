import type pg from "pg";
import { type ActiveRequest, activeRequest } from "../lib/active-request.ts";
import { abortable } from "../lib/async.ts";
import { cancelOnAbort } from "./cancel-request.ts";

/** The use of a connection for one piece of work. */
export interface ConnectionUse {
  /** Aborts with the request that the work belongs to; undefined outside of requests. */
  readonly signal: AbortSignal | undefined;
  /** The connection is closed instead of being returned to the pool. */
  markBroken(): void;
}

type Work<T> = (client: pg.PoolClient, use: ConnectionUse) => Promise<T>;

/**
 * Runs work on one connection of a pool. If the active request aborts, the promise rejects at once and the running statement is cancelled; the connection
 * returns to the pool when it is idle.
 */
export function withConnection<T>(pool: pg.Pool, work: Work<T>): Promise<T> {
  const request = activeRequest();
  const running = runOnConnection(pool, request, work);
  return request === undefined ? running : abortable(request.signal, running);
}

async function runOnConnection<T>(pool: pg.Pool, request: ActiveRequest | undefined, work: Work<T>): Promise<T> {
  request?.signal.throwIfAborted();
  let isBroken = false;
  const markBroken = (): void => {
    isBroken = true;
  };
  const client = await connect(pool, markBroken);
  // The request may have aborted while it waited for the connection.
  if (request?.signal.aborted === true) {
    client.off("error", markBroken);
    client.release(isBroken);
    throw request.signal.reason;
  }
  const endStatement = request?.startStatement();
  const endCancellation = request === undefined ? undefined : cancelOnAbort(client, request.signal);
  try {
    return await work(client, { signal: request?.signal, markBroken });
  } finally {
    endStatement?.();
    const isIdle = (await endCancellation?.()) ?? true;
    client.off("error", markBroken);
    client.release(isBroken || !isIdle);
  }
}

/** A promise would resolve too late: the server may close the connection in the packet that opens it, before an error listener is attached. */
const connect = (pool: pg.Pool, onError: () => void): Promise<pg.PoolClient> =>
  new Promise((resolve, reject) => {
    pool.connect((error, client) => {
      if (client === undefined) return reject(error);
      client.on("error", onError);
      resolve(client);
    });
  });
