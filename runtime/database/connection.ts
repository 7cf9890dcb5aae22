import type pg from "pg";
import { type ActiveRequest, activeRequest } from "../lib/active-request.ts";
import { observe } from "../lib/histogram.ts";
import { errorKindOf, type Span } from "../lib/tracing.ts";
import { cancelStatement } from "./cancel-request.ts";
import type { FairSlots } from "./fair-slots.ts";
import type { PoolUsage } from "./pool-usage.ts";
import { startStatementSpan } from "./statement-span.ts";

/** Options for one piece of work on a connection. */
export interface ConnectionUse {
  /** Aborts with the request that the work belongs to; undefined outside of requests. */
  readonly signal: AbortSignal | undefined;
  /** Closes the connection after the work, instead of returning it to the pool. */
  markBroken(): void;
}

/** A pool whose connections are shared among the requests' keys. */
export interface SharedPool {
  readonly pool: pg.Pool;
  /** One for each connection. */
  readonly slots: FairSlots;
  readonly usage: PoolUsage;
  /** If a statement runs longer, its connection is abandoned: the server should have cancelled it by then. Null if there is no statement timeout. */
  readonly maxStatementMilliseconds: number | null;
}

type Work<T> = (client: pg.PoolClient, use: ConnectionUse) => Promise<T>;

/**
 * Runs work on one pool connection. If the active request aborts, the promise rejects immediately and the running statement is cancelled; the connection
 * returns to the pool when it is idle. Every request statement runs through here, so few promises are created: AsyncLocalStorage makes them expensive.
 * `text` is the statement's text, for traces, if the work is a single statement.
 */
export function withConnection<T>(pool: SharedPool, work: Work<T>, text?: string): Promise<T> {
  const request = activeRequest();
  if (request === undefined) return runOnConnection(pool, { request, text, client: undefined, endCancellation: undefined }, work);
  const { signal } = request;
  const use: RequestUse = { request, text, client: undefined, endCancellation: undefined };
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    // One listener rejects and cancels, because it is added for every statement of a request.
    const onAbort = (): void => {
      reject(signal.reason);
      if (use.client !== undefined) use.endCancellation = cancelStatement(use.client);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    const slot = pool.slots.acquire(request.keyId);
    const run = (free: () => void): void => {
      const end = (): void => {
        free();
        signal.removeEventListener("abort", onAbort);
      };
      runOnConnection(pool, use, work).then(
        (result) => {
          end();
          resolve(result);
        },
        (error: unknown) => {
          end();
          reject(error);
        },
      );
    };
    if (slot instanceof Promise) void timeWait(pool.usage, slot, request.span).then(run);
    else run(slot);
  });
}

/** Counts how long a request waits for a connection. */
async function timeWait<T>(usage: PoolUsage, slot: Promise<T>, requestSpan: Span | undefined): Promise<T> {
  const start = performance.now();
  const span = requestSpan?.startChild("wait for a connection", "internal");
  usage.waitingCount += 1;
  const acquired = await slot;
  usage.waitingCount -= 1;
  observe(usage.waits, (performance.now() - start) / 1000);
  span?.end();
  return acquired;
}

/** A request's use of a connection. */
interface RequestUse {
  readonly request: ActiveRequest | undefined;
  readonly text: string | undefined;
  /** The connection while it runs the work. */
  client: pg.PoolClient | undefined;
  /** Set when the work is being cancelled. */
  endCancellation: (() => Promise<boolean>) | undefined;
}

async function runOnConnection<T>({ pool, usage }: SharedPool, use: RequestUse, work: Work<T>): Promise<T> {
  const { request } = use;
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
  use.client = client;
  const start = performance.now();
  const span = request?.span === undefined ? undefined : startStatementSpan(request.span, use.text);
  let failure: string | undefined;
  try {
    return await work(client, { signal: request?.signal, markBroken });
  } catch (error) {
    usage.failedCount += 1;
    failure = errorKindOf(error);
    throw error;
  } finally {
    span?.end({ error: failure });
    observe(usage.statements, (performance.now() - start) / 1000);
    endStatement?.();
    use.client = undefined;
    const isIdle = use.endCancellation === undefined || (await use.endCancellation());
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
