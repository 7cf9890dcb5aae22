import type { RpcCall, RpcResult } from "./call.ts";
import { LimitError, TransportError, UnansweredError } from "./errors.ts";
import type { Fault } from "./faults.ts";
import { createTransport, type Transport, type TransportOptions } from "./transport.ts";

export type { RpcCall, RpcResult } from "./call.ts";

/** JSON-RPC 2.0 client of one node. */
export interface Rpc {
  /** Sends one call. @throws {RpcError} the node's error. @throws {TransportError} after the last attempt. */
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Sends many calls, in as few requests as the node accepts, and returns their results in order; the error of one call does not affect the others. */
  settle(calls: readonly RpcCall[]): Promise<RpcResult[]>;
  /** Sends many calls that must all succeed. @throws {RpcError} the first error. */
  batch(calls: readonly RpcCall[]): Promise<unknown[]>;
  /** The limits of the node as found so far: calls in a request, concurrent requests. */
  limits(): { readonly batchSize: number; readonly concurrency: number };
  close(): Promise<void>;
}

export interface RpcOptions extends TransportOptions {
  /** Further attempts after a temporary failure. A smaller request is not counted as one. */
  readonly retries?: number;
  readonly onRetry?: (reason: string, attempt: number) => void;
}

/** Calls and their results, which are filled in as replies arrive. */
interface PendingCalls {
  readonly calls: readonly RpcCall[];
  readonly results: RpcResult[];
  /** A part has failed finally: the other parts stop. */
  failed: boolean;
}

/** Creates a client, which connects with the first call. */
export const createRpc = (options: RpcOptions): Rpc => {
  const transport = createTransport(options);
  const sender = createSender(transport, options);
  const settle = async (calls: readonly RpcCall[]): Promise<RpcResult[]> => {
    const pending: PendingCalls = { calls, results: [], failed: false };
    try {
      await sender(pending, [...calls.keys()], 0);
    } catch (error) {
      pending.failed = true;
      throw error;
    }
    return pending.results;
  };
  const batch = async (calls: readonly RpcCall[]): Promise<unknown[]> => (await settle(calls)).map(valueOrThrow);
  return {
    settle,
    batch,
    request: async (method, params) => (await batch([{ method, params }]))[0],
    limits: transport.limits,
    close: transport.close,
  };
};

/** Sends the calls at these positions, in requests of the current batch size, until each has a result. */
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

  /** Sends one request; calls without a result are sent again, in smaller requests where that may help. */
  const sendOnce: SendPart = async (pending, positions, attempt) => {
    // The batch size may have shrunk while the request was queued.
    const outcome = await transport.enqueue(async () =>
      positions.length > transport.batchSize() ? "too large" : attemptOnce(transport, pending, positions),
    );
    if (outcome === "too large") return sendPart(pending, positions, attempt);
    if (outcome === undefined) return;
    const { again, fault } = outcome;
    const alone = positions.length === 1;
    if (alone && fault.kind === "size" && attempt > 0 && setLimitError(pending, again[0], fault)) return;
    if (await isolate(pending, again, attempt, fault)) return;
    const next = isTry(fault, alone) ? attempt + 1 : attempt;
    if (isLast(fault, next)) throw new TransportError(fault.message);
    onRetry?.(fault.message, next);
    transport.adapt(fault, positions.length, next);
    if (alone || fault.kind !== "size") await transport.pause(fault, Math.max(next, 1));
    if (transport.isClosed()) throw new TransportError(fault.message);
    await sendPart(pending, again, next);
  };

  /**
   * Bisects a failed request while the node responds to other calls, down to the calls that fail; only these get an error. The limits are not adapted to them.
   * False where these calls cannot be isolated, or the node does not respond.
   */
  const isolate = async (pending: PendingCalls, positions: readonly number[], attempt: number, fault: Fault): Promise<boolean> => {
    const [position] = positions;
    if (position === undefined || !isIsolatable(pending, positions, attempt, fault) || !(await transport.isResponding())) return false;
    if (positions.length === 1) {
      pending.results[position] = { ok: false, error: new UnansweredError(callAt(pending, position).method, 0, fault.message) };
      return true;
    }
    const middle = Math.ceil(positions.length / 2);
    const halves = [positions.slice(0, middle), positions.slice(middle)];
    await Promise.all(halves.map((half) => sendOnce(pending, half, half.length === 1 ? 0 : attempt)));
    return true;
  };

  const isLast = ({ kind }: Fault, attempt: number): boolean => kind === "final" || attempt > retries || transport.isClosed();

  return sendPart;
};

/** Sends one request and stores its results; returns the positions of the calls without a result, or undefined if there are none. */
const attemptOnce = async (
  transport: Transport,
  pending: PendingCalls,
  positions: readonly number[],
): Promise<{ readonly again: readonly number[]; readonly fault: Fault } | undefined> => {
  if (pending.failed) return undefined;
  const { results, fault } = await transport.send(positions.map((position) => callAt(pending, position)));
  for (const [index, position] of positions.entries()) {
    const result = results[index];
    if (result !== null && result !== undefined) pending.results[position] = result;
  }
  return fault === null ? undefined : { again: positions.filter((_, index) => results[index] === null), fault };
};

/** Whether the next request counts as an attempt: a smaller one does not. */
const isTry = ({ kind }: Fault, alone: boolean): boolean => alone || kind === "transient" || kind === "down";

/** A request that was too large or too slow is bisected immediately; one that failed without a stated reason, and a single call, after a second attempt. */
const isIsolatable = (pending: PendingCalls, positions: readonly number[], attempt: number, { kind }: Fault): boolean =>
  (kind === "size" ? attempt > 0 || positions.length > 1 : kind === "transient" && attempt > 0) &&
  positions.every((position) => callAt(pending, position).isolated === true);

const setLimitError = (pending: PendingCalls, position: number | undefined, fault: Fault): boolean => {
  const { method, divisible } = callAt(pending, position);
  if (position === undefined || divisible !== true) return false;
  pending.results[position] = { ok: false, error: new LimitError(method, 0, fault.message) };
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
