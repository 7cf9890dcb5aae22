import PQueue from "p-queue";
import { backoff, sleep, withJitter } from "../lib/async.ts";
import type { RpcCall, RpcResult } from "./call.ts";
import { LimitError, TransportError, UnansweredError } from "./errors.ts";
import { createEndpoint } from "./exchange.ts";
import { Fault } from "./faults.ts";
import { createAdaptiveSize } from "./limits.ts";

export type { RpcCall, RpcResult } from "./call.ts";

/** JSON-RPC 2.0 of one node. */
export interface Rpc {
  /** One call. @throws {RpcError} the node's own error. @throws {TransportError} when the tries are used up. */
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Many calls, in as few requests as the node takes, answered in order; a call's own error does not touch the others. */
  settle(calls: readonly RpcCall[]): Promise<RpcResult[]>;
  /** Many calls of which each must succeed. @throws {RpcError} the first error among them. */
  batch(calls: readonly RpcCall[]): Promise<unknown[]>;
  /** What the node has been found to take: calls in a request, requests at once. */
  limits(): { readonly batchSize: number; readonly concurrency: number };
  close(): Promise<void>;
}

export interface RpcOptions {
  /** May hold a secret: no message of this module shows more of it than its host. */
  readonly url: string;
  /** Calls in one HTTP request at most; 1 sends plain requests, for nodes without batches. Fewer where the node wants it. */
  readonly batchSize?: number;
  /** HTTP requests in flight at most. Fewer where the node wants it. */
  readonly concurrency?: number;
  readonly timeoutMilliseconds?: number;
  /** Further tries after a failure that may pass. A request made smaller is not counted as one. */
  readonly retries?: number;
  readonly backOffMilliseconds?: number;
  /** Replies beyond this size make the next requests smaller, so that what is in flight stays bounded. */
  readonly replyBytes?: number;
  readonly random?: () => number;
  readonly onRetry?: (reason: string, attempt: number) => void;
}

const maxWait = 20_000;
const defaultReplyBytes = 8 * 1024 * 1024;

/** One answer a call, filled in as replies come. */
interface Settling {
  readonly calls: readonly RpcCall[];
  readonly results: RpcResult[];
  /** A part has failed for good: the others need not go on. */
  failed: boolean;
}

/** Opens no connection before the first call. */
export const createRpc = (options: RpcOptions): Rpc => {
  const { batchSize = 100, concurrency = 8, timeoutMilliseconds = 30_000, retries = 6, replyBytes = defaultReplyBytes } = options;
  const queue = new PQueue({ concurrency });
  const endpoint = createEndpoint(options.url, concurrency, timeoutMilliseconds);
  const batches = createAdaptiveSize(batchSize);
  const lanes = createAdaptiveSize(concurrency);
  const closing = new AbortController();
  const pace = createPace(options, closing.signal);

  /** Asks for the calls at these positions, in requests as large as the node takes now. */
  const settlePart = async (settling: Settling, positions: readonly number[], attempt: number): Promise<void> => {
    const size = batches.current();
    if (positions.length <= size) return settleOnce(settling, positions, attempt);
    const parts: Promise<void>[] = [];
    for (let start = 0; start < positions.length; start += size) {
      parts.push(settleOnce(settling, positions.slice(start, start + size), attempt));
    }
    await Promise.all(parts);
  };

  /** One request; what it leaves unanswered is asked again, in smaller portions where that may help. */
  const settleOnce = async (settling: Settling, positions: readonly number[], attempt: number): Promise<void> => {
    // What waited for its turn may be too large by now.
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
   * Halves what failed while the node answers other calls, down to the calls that it fails at; those fail alone. What the node takes is not learnt from them.
   * False where these calls cannot be isolated, or the node does not answer.
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

  /** Whether the node answers a call that costs it nothing. */
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
    // What fails twice in a row for no stated reason may be a limit that the node does not put into words.
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
    if (closing.signal.aborted) throw new TransportError(`The connection to the node at ${endpoint.host} was closed.`);
    try {
      const { results, bytes } = await endpoint.exchange(positions.map((position) => callAt(settling, position)));
      const again: number[] = [];
      let fault: Fault | undefined;
      for (const [index, result] of results.entries()) {
        const position = positions[index] ?? 0;
        if (!("again" in result)) settling.results[position] = result;
        else {
          again.push(position);
          fault = new Fault(result.again, `The node at ${endpoint.host} asks for less: ${result.message}`);
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
      // What waits to be tried again is not, so that a stop is not held up; what waits for its turn fails when it comes.
      closing.abort();
      await endpoint.close();
    },
  };
};

/** A request that is made smaller is not tried again: it is another one. */
const isTry = ({ kind }: Fault, alone: boolean): boolean => alone || kind === "passing" || kind === "down";

/** A request that was too much or too slow is halved at once; one that failed for no stated reason, and a single call, after a second attempt. */
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
  if (call === undefined) throw new RangeError(`There is no call ${position}.`);
  return call;
};

const valueOrThrow = (result: RpcResult): unknown => {
  if (!result.ok) throw result.error;
  return result.value;
};

/** Waits between tries: exponential back-off with jitter, so that clients that failed together do not come back together; a rate limit holds all requests. */
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
      // Requests that ran at once are refused at once: they count as one refusal.
      if (Date.now() >= readyAt) refusals += 1;
      const pause = Math.max(waitOf(refusals), fault.retryAfterMilliseconds ?? 0);
      readyAt = Math.max(readyAt, Date.now() + Math.min(maxWait, pause));
    },
    succeed: (): void => {
      refusals = 0;
    },
  };
};
