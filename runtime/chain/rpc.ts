import type { RpcCall, RpcResult } from "./call.ts";
import { LimitError, NoResponseError, TransportError } from "./errors.ts";
import type { RequestFailure } from "./request-failure.ts";
import { createTransport, type Transport, type TransportOptions } from "./transport.ts";

export type { RpcCall, RpcResult } from "./call.ts";

/** JSON-RPC 2.0 client for one node. */
export interface Rpc {
  /** Sends one call. @throws {RpcError} if the node returns an error. @throws {TransportError} if the last attempt fails. */
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Sends many calls, in as few requests as the node accepts, and returns their results in order; one call's error does not affect the others. */
  settle(calls: readonly RpcCall[]): Promise<RpcResult[]>;
  /** Sends many calls that must all succeed. @throws {RpcError} with the first error. */
  batch(calls: readonly RpcCall[]): Promise<unknown[]>;
  /** The node's limits learned so far: calls per request, concurrent requests. */
  limits(): { readonly batchSize: number; readonly concurrency: number };
  /** How long requests have been waiting without any response from the node, in milliseconds; 0 if none is waiting. */
  silentMilliseconds(): number;
  close(): Promise<void>;
}

export interface RpcOptions extends TransportOptions {
  /** Retries after a temporary failure. Sending a smaller request is not counted as a retry. */
  readonly retries?: number;
  readonly onRetry?: (reason: string, attempt: number) => void;
}

/** Calls and their results, which are filled in as responses arrive. */
interface PendingCalls {
  readonly calls: readonly RpcCall[];
  readonly results: RpcResult[];
  /** Whether a part has failed permanently: the other parts are then not sent. */
  hasFailed: boolean;
}

/** Creates a client; it connects on the first call. */
export const createRpc = (options: RpcOptions): Rpc => {
  const silence = createSilence();
  const transport = createTransport({ ...options, onResponse: silence.respond });
  const sender = createSender(transport, options);
  const settle = async (calls: readonly RpcCall[]): Promise<RpcResult[]> => {
    const pending: PendingCalls = { calls, results: [], hasFailed: false };
    silence.begin();
    try {
      await sender(pending, [...calls.keys()], 0);
    } catch (error) {
      pending.hasFailed = true;
      silence.fail();
      throw error;
    } finally {
      silence.end();
    }
    return pending.results;
  };
  const batch = async (calls: readonly RpcCall[]): Promise<unknown[]> => (await settle(calls)).map(valueOrThrow);
  return {
    settle,
    batch,
    request: async (method, params) => (await batch([{ method, params }]))[0],
    limits: transport.limits,
    silentMilliseconds: silence.milliseconds,
    close: transport.close,
  };
};

/** Measures how long a node has left requests unanswered, since its last response or the first request after it. */
const createSilence = () => {
  let since: number | null = null;
  /** Whether the node has responded since the last failure. */
  let isResponsive = true;
  let pending = 0;
  return {
    begin: (): void => {
      pending += 1;
      since ??= performance.now();
    },
    respond: (): void => {
      isResponsive = true;
      since = performance.now();
    },
    end: (): void => {
      pending -= 1;
      // After a failure, the silence lasts until the next response.
      if (pending === 0 && isResponsive) since = null;
    },
    fail: (): void => {
      isResponsive = false;
    },
    milliseconds: (): number => (since === null ? 0 : performance.now() - since),
  };
};

/** Sends the calls at the given positions, in requests with the current batch size, until each has a result. */
type SendPart = (pending: PendingCalls, positions: readonly number[], attempt: number) => Promise<void>;

const createSender = (transport: Transport, { retries = 6, onRetry }: RpcOptions): SendPart => {
  const sendPart: SendPart = async (pending, positions, attempt) => {
    const size = transport.batchSize();
    if (positions.length <= size) return sendOnce(pending, positions, attempt);
    const parts: Promise<void>[] = [];
    for (let start = 0; start < positions.length; start += size) {
      parts.push(sendOnce(pending, positions.slice(start, start + size), attempt));
    }
    await Promise.all(parts);
  };

  /** Sends one request; calls without a result are sent again, in smaller requests if that may help. */
  const sendOnce: SendPart = async (pending, positions, attempt) => {
    // The batch size may have shrunk while the request was queued.
    const outcome = await transport.enqueue(async () =>
      positions.length > transport.batchSize() ? "too large" : attemptOnce(transport, pending, positions),
    );
    if (outcome === "too large") return sendPart(pending, positions, attempt);
    if (outcome === undefined) return;
    const { unresolved, failure } = outcome;
    const isSingle = positions.length === 1;
    if (isSingle && failure.kind === "size" && attempt > 0 && setLimitError(pending, unresolved[0], failure)) return;
    if (await isolate(pending, unresolved, attempt, failure)) return;
    const next = countsAsAttempt(failure, isSingle) ? attempt + 1 : attempt;
    if (isLast(failure, next)) throw new TransportError(failure.message);
    onRetry?.(failure.message, next);
    transport.adapt(failure, positions.length, next);
    if (isSingle || failure.kind !== "size") await transport.pause(failure, Math.max(next, 1));
    if (transport.isClosed()) throw new TransportError(failure.message);
    await sendPart(pending, unresolved, next);
  };

  /**
   * Bisects a failed request, down to the calls that fail, as long as the node responds to other calls. Only the failing calls return an error, and
   * the limits do not change. Returns false if the calls cannot be isolated or the node does not respond.
   */
  const isolate = async (
    pending: PendingCalls,
    positions: readonly number[],
    attempt: number,
    failure: RequestFailure,
  ): Promise<boolean> => {
    const [position] = positions;
    if (position === undefined || !isIsolatable(pending, positions, attempt, failure) || !(await transport.isResponding())) return false;
    if (positions.length === 1) {
      pending.results[position] = { ok: false, error: new NoResponseError(callAt(pending, position).method, 0, failure.message) };
      return true;
    }
    const middle = Math.ceil(positions.length / 2);
    const halves = [positions.slice(0, middle), positions.slice(middle)];
    await Promise.all(halves.map((half) => sendOnce(pending, half, half.length === 1 ? 0 : attempt)));
    return true;
  };

  const isLast = ({ kind }: RequestFailure, attempt: number): boolean => kind === "final" || attempt > retries || transport.isClosed();

  return sendPart;
};

/** Sends one request and stores its results; returns the positions of calls without a result, or undefined if there are none. */
const attemptOnce = async (
  transport: Transport,
  pending: PendingCalls,
  positions: readonly number[],
): Promise<{ readonly unresolved: readonly number[]; readonly failure: RequestFailure } | undefined> => {
  if (pending.hasFailed) return undefined;
  const { results, failure } = await transport.send(positions.map((position) => callAt(pending, position)));
  for (const [index, position] of positions.entries()) {
    const result = results[index];
    if (result !== null && result !== undefined) pending.results[position] = result;
  }
  return failure === null ? undefined : { unresolved: positions.filter((_, index) => results[index] === null), failure };
};

/** Whether the next request counts as another attempt; a smaller request does not. */
const countsAsAttempt = ({ kind }: RequestFailure, isSingle: boolean): boolean => isSingle || kind === "transient" || kind === "down";

/** A request that was too large or too slow is bisected immediately; a single call, or a request that failed for an unknown reason, after a second attempt. */
const isIsolatable = (pending: PendingCalls, positions: readonly number[], attempt: number, { kind }: RequestFailure): boolean =>
  (kind === "size" ? attempt > 0 || positions.length > 1 : kind === "transient" && attempt > 0) &&
  positions.every((position) => callAt(pending, position).isIsolated === true);

const setLimitError = (pending: PendingCalls, position: number | undefined, failure: RequestFailure): boolean => {
  const { method, isDivisible } = callAt(pending, position);
  if (position === undefined || isDivisible !== true) return false;
  pending.results[position] = { ok: false, error: new LimitError(method, 0, failure.message) };
  return true;
};

const callAt = ({ calls }: PendingCalls, position = -1): RpcCall => {
  const call = calls[position];
  if (call === undefined) throw new RangeError(`No call at position ${position}.`);
  return call;
};

const valueOrThrow = (result: RpcResult): unknown => {
  if (!result.ok) throw result.error;
  return result.value;
};
