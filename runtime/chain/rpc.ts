import PQueue from "p-queue";
import { backoff, sleep, withJitter } from "../lib/async.ts";
import type { RpcCall, RpcResult } from "./call.ts";
import { LimitError, TransportError, UnansweredError } from "./errors.ts";
import { createEndpoint } from "./exchange.ts";
import { Fault } from "./faults.ts";
import { createAdaptiveSize } from "./limits.ts";

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

export interface RpcOptions {
  /** May contain a secret: no message of this module shows more than its host. */
  readonly url: string;
  /** Maximum of calls in one HTTP request, lowered to what the node accepts; 1 sends no batches. */
  readonly batchSize?: number;
  /** Maximum of concurrent HTTP requests, lowered to what the node accepts. */
  readonly concurrency?: number;
  readonly timeoutMilliseconds?: number;
  /** Further attempts after a temporary failure. A smaller request is not counted as one. */
  readonly retries?: number;
  readonly backOffMilliseconds?: number;
  /** Larger replies make the next requests smaller, which bounds the memory of concurrent requests. */
  readonly replyBytes?: number;
  readonly random?: () => number;
  readonly onRetry?: (reason: string, attempt: number) => void;
}

const maxWait = 20_000;
const defaultReplyBytes = 8 * 1024 * 1024;

/** Calls and their results, which are filled in as replies arrive. */
interface Settling {
  readonly calls: readonly RpcCall[];
  readonly results: RpcResult[];
  /** A part has failed finally: the other parts stop. */
  failed: boolean;
}

/** A client; connects with the first call. */
export const createRpc = (options: RpcOptions): Rpc => {
  const { batchSize = 100, concurrency = 8, timeoutMilliseconds = 30_000, retries = 6, replyBytes = defaultReplyBytes } = options;
  const queue = new PQueue({ concurrency });
  const endpoint = createEndpoint(options.url, concurrency, timeoutMilliseconds);
  const batches = createAdaptiveSize(batchSize);
  const lanes = createAdaptiveSize(concurrency);
  const closing = new AbortController();
  const pace = createPace(options, closing.signal);

  /** Sends the calls at these positions, in requests of the current batch size. */
  const settlePart = async (settling: Settling, positions: readonly number[], attempt: number): Promise<void> => {
    const size = batches.current();
    if (positions.length <= size) return settleOnce(settling, positions, attempt);
    const parts: Promise<void>[] = [];
    for (let start = 0; start < positions.length; start += size) {
      parts.push(settleOnce(settling, positions.slice(start, start + size), attempt));
    }
    await Promise.all(parts);
  };

  /** Sends one request; calls without a result are sent again, in smaller requests where that may help. */
  const settleOnce = async (settling: Settling, positions: readonly number[], attempt: number): Promise<void> => {
    // The batch size may have shrunk while the request was queued.
    const outcome = await queue.add(async () => (positions.length > batches.current() ? "too large" : tryOnce(settling, positions)));
    if (outcome === "too large") return settlePart(settling, positions, attempt);
    if (outcome === undefined) return;
    const { again, fault } = outcome;
    const alone = positions.length === 1;
    if (alone && fault.kind === "size" && attempt > 0 && settleAsTooMuch(settling, again[0], fault)) return;
    if (await isolated(settling, again, attempt, fault)) return;
    const next = isTry(fault, alone) ? attempt + 1 : attempt;
    if (isLast(fault, next)) throw new TransportError(fault.message);
    options.onRetry?.(fault.message, next);
    adapt(fault, positions.length, next);
    if (alone || fault.kind !== "size") await pace.after(fault, Math.max(next, 1));
    if (closing.signal.aborted) throw new TransportError(fault.message);
    await settlePart(settling, again, next);
  };

  /**
   * Bisects a failed request while the node responds to other calls, down to the calls that fail; only these get an error. The limits are not adapted to them.
   * False where these calls cannot be isolated, or the node does not respond.
   */
  const isolated = async (settling: Settling, positions: readonly number[], attempt: number, fault: Fault): Promise<boolean> => {
    const [position] = positions;
    if (position === undefined || !isIsolatable(settling, positions, attempt, fault) || !(await isAnswering())) return false;
    if (positions.length === 1) {
      settling.results[position] = { ok: false, error: new UnansweredError(callAt(settling, position).method, 0, fault.message) };
      return true;
    }
    const middle = Math.ceil(positions.length / 2);
    const halves = [positions.slice(0, middle), positions.slice(middle)];
    await Promise.all(halves.map((half) => settleOnce(settling, half, half.length === 1 ? 0 : attempt)));
    return true;
  };

  /** Whether the node responds to the cheapest call. */
  const isAnswering = async (): Promise<boolean> => {
    try {
      const { results } = await endpoint.exchange([{ method: "eth_chainId", params: [] }]);
      return results.every((result) => "ok" in result && result.ok);
    } catch (error) {
      if (error instanceof Fault) return false;
      throw error;
    }
  };

  const isLast = ({ kind }: Fault, attempt: number): boolean => kind === "final" || attempt > retries || closing.signal.aborted;

  const adapt = (fault: Fault, tried: number, attempt: number): void => {
    // A second failure without a stated reason may be an undocumented limit.
    if (fault.kind === "rate" || (tried > 1 && (fault.kind === "size" || (fault.kind === "passing" && attempt > 1)))) batches.shrink(tried);
    if (fault.kind === "rate") {
      lanes.shrink(lanes.current());
      queue.concurrency = lanes.current();
    }
  };

  const tryOnce = async (
    settling: Settling,
    positions: readonly number[],
  ): Promise<{ readonly again: readonly number[]; readonly fault: Fault } | undefined> => {
    if (settling.failed) return undefined;
    await pace.ready();
    if (closing.signal.aborted) throw new TransportError(`The connection to the node at ${endpoint.host} is closed.`);
    try {
      const { results, bytes } = await endpoint.exchange(positions.map((position) => callAt(settling, position)));
      const again: number[] = [];
      let fault: Fault | undefined;
      for (const [index, result] of results.entries()) {
        const position = positions[index] ?? 0;
        if (!("again" in result)) settling.results[position] = result;
        else {
          again.push(position);
          fault = new Fault(result.again, `The node at ${endpoint.host} reports a limit: ${result.message}`);
        }
      }
      if (fault !== undefined) return { again, fault };
      if (bytes > replyBytes) batches.shrink(positions.length);
      else batches.succeed(positions.length);
      lanes.succeed(lanes.current());
      queue.concurrency = lanes.current();
      pace.succeed();
      return undefined;
    } catch (error) {
      if (error instanceof Fault) return { again: positions, fault: error };
      throw error;
    }
  };

  const settle = async (calls: readonly RpcCall[]): Promise<RpcResult[]> => {
    const settling: Settling = { calls, results: [], failed: false };
    try {
      await settlePart(
        settling,
        calls.map((_, position) => position),
        0,
      );
    } catch (error) {
      settling.failed = true;
      throw error;
    }
    return settling.results;
  };
  const batch = async (calls: readonly RpcCall[]): Promise<unknown[]> => (await settle(calls)).map(valueOrThrow);
  return {
    settle,
    batch,
    request: async (method, params) => (await batch([{ method, params }]))[0],
    limits: () => ({ batchSize: batches.current(), concurrency: lanes.current() }),
    close: async () => {
      // Waits before retries end, so that they do not delay the stop; queued requests fail.
      closing.abort();
      await endpoint.close();
    },
  };
};

/** Whether the next request counts as an attempt: a smaller one does not. */
const isTry = ({ kind }: Fault, alone: boolean): boolean => alone || kind === "passing" || kind === "down";

/** A request that was too large or too slow is bisected at once; one that failed without a stated reason, and a single call, after a second attempt. */
const isIsolatable = (settling: Settling, positions: readonly number[], attempt: number, { kind }: Fault): boolean =>
  (kind === "size" ? attempt > 0 || positions.length > 1 : kind === "passing" && attempt > 0) &&
  positions.every((position) => callAt(settling, position).isolated === true);

const settleAsTooMuch = (settling: Settling, position: number | undefined, fault: Fault): boolean => {
  const { method, divisible } = callAt(settling, position);
  if (position === undefined || divisible !== true) return false;
  settling.results[position] = { ok: false, error: new LimitError(method, 0, fault.message) };
  return true;
};

const callAt = ({ calls }: Settling, position = -1): RpcCall => {
  const call = calls[position];
  if (call === undefined) throw new RangeError(`No call at position ${position}.`);
  return call;
};

const valueOrThrow = (result: RpcResult): unknown => {
  if (!result.ok) throw result.error;
  return result.value;
};

/** Waits between attempts: exponential backoff with jitter; a rate limit delays all requests. */
const createPace = ({ backOffMilliseconds = 200, random = Math.random }: RpcOptions, closed: AbortSignal) => {
  let readyAt = 0;
  let refusals = 0;
  const waitOf = (attempt: number): number => withJitter(backoff(attempt, { base: backOffMilliseconds, max: maxWait }), random);
  return {
    ready: async (): Promise<void> => {
      for (let left = readyAt - Date.now(); left > 0 && !closed.aborted; left = readyAt - Date.now()) await sleep(left, closed);
    },
    after: async (fault: Fault, attempt: number): Promise<void> => {
      if (fault.kind !== "rate") return sleep(waitOf(attempt), closed);
      // Concurrent requests are refused together, which counts as one refusal.
      if (Date.now() >= readyAt) refusals += 1;
      const pause = Math.max(waitOf(refusals), fault.retryAfterMilliseconds ?? 0);
      readyAt = Math.max(readyAt, Date.now() + Math.min(maxWait, pause));
    },
    succeed: (): void => {
      refusals = 0;
    },
  };
};
