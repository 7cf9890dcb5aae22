import PQueue from "p-queue";
import { createAdaptiveSize } from "./adaptive-size.ts";
import type { RpcCall, RpcResult } from "./call.ts";
import { createEndpoint } from "./endpoint.ts";
import { TransportError } from "./errors.ts";
import { type FailureKind, RequestFailure } from "./request-failure.ts";
import { createRetryGate, type RetryGateOptions } from "./retry-gate.ts";

export interface TransportOptions extends RetryGateOptions {
  /** May contain a secret: this module's messages only show its host. */
  readonly url: string;
  /** Max calls per HTTP request, lowered to the number that the node accepts; 1 disables batches. */
  readonly batchSize?: number;
  /** Max concurrent HTTP requests, lowered to the number that the node accepts. */
  readonly concurrency?: number;
  readonly timeoutMilliseconds?: number;
  /** Larger responses make the next requests smaller, which bounds the memory that concurrent requests use. */
  readonly targetResponseBytes?: number;
  /** A response above this size is not read completely. */
  readonly maxResponseBytes?: number;
  /** Called when the node has responded to a call. */
  readonly onResponse?: () => void;
  /** Parses a response; JSON.parse by default. */
  readonly parseJson?: (text: string) => unknown;
  /** Called after each request with the number of its calls; `failure` is null unless the entire request failed. */
  readonly onRequest?: ((calls: number, failure: FailureKind | null) => void) | undefined;
}

/** The outcome of one request. Calls without a result may be sent again; `failure` is the reason. */
export interface RequestOutcome {
  readonly results: readonly (RpcResult | null)[];
  readonly failure: RequestFailure | null;
}

const defaultTargetResponseBytes = 8 * 1024 * 1024;

/** Sends requests to one node, within limits that adapt to the node. */
export interface Transport {
  /** The current max calls per request. */
  batchSize(): number;
  limits(): { readonly batchSize: number; readonly concurrency: number };
  /** Runs work as soon as fewer than the max concurrent requests are in flight. */
  enqueue<T>(work: () => Promise<T>): Promise<T | undefined>;
  /** Sends calls in one request, after a rate limit has passed. @throws {TransportError} if the transport is closed. */
  send(calls: readonly RpcCall[]): Promise<RequestOutcome>;
  /** Whether the node responds to the cheapest call. */
  isResponding(): Promise<boolean>;
  /** Lowers the limits after a request with `size` calls failed. */
  adapt(failure: RequestFailure, size: number, attempt: number): void;
  /** Waits before the next attempt after a failed request. */
  pause(failure: RequestFailure, attempt: number): Promise<void>;
  isClosed(): boolean;
  close(): Promise<void>;
}

/** Creates a transport; it connects on the first request. */
export const createTransport = (options: TransportOptions): Transport => {
  const { batchSize = 100, concurrency = 8, timeoutMilliseconds = 30_000, targetResponseBytes = defaultTargetResponseBytes } = options;
  const queue = new PQueue({ concurrency });
  const endpoint = createEndpoint(options.url, concurrency, timeoutMilliseconds, options.parseJson, options.maxResponseBytes);
  const batches = createAdaptiveSize(batchSize);
  const slots = createAdaptiveSize(concurrency);
  const closing = new AbortController();
  const retryGate = createRetryGate(options, closing.signal);

  const recordSuccess = (size: number, bytes: number): void => {
    if (bytes > targetResponseBytes) batches.reportTooLarge(size);
    else batches.reportSuccess(size);
    slots.reportSuccess(slots.current());
    queue.concurrency = slots.current();
    retryGate.reset();
  };

  const send = async (calls: readonly RpcCall[]): Promise<RequestOutcome> => {
    const outcome = await attempt(calls);
    options.onRequest?.(calls.length, outcome.failure?.kind ?? null);
    return outcome;
  };
  const attempt = async (calls: readonly RpcCall[]): Promise<RequestOutcome> => {
    await retryGate.waitUntilReady();
    if (closing.signal.aborted) throw new TransportError(`The connection to the node at ${endpoint.host} is closed.`);
    try {
      const { results, bytes } = await endpoint.send(calls);
      options.onResponse?.();
      const limited = results.flatMap((result) => ("limit" in result ? [result] : [])).at(-1);
      if (limited === undefined) recordSuccess(calls.length, bytes);
      return {
        results: results.map((result) => ("limit" in result ? null : result)),
        failure:
          limited === undefined
            ? null
            : new RequestFailure(limited.limit, `The node at ${endpoint.host} reports a limit: ${limited.message}`),
      };
    } catch (error) {
      if (error instanceof RequestFailure) return { results: calls.map(() => null), failure: error };
      throw error;
    }
  };

  return {
    batchSize: batches.current,
    limits: () => ({ batchSize: batches.current(), concurrency: slots.current() }),
    enqueue: async (work) => (await queue.add(work)) ?? undefined,
    send,
    isResponding: async () => {
      try {
        const { results } = await endpoint.send([{ method: "eth_chainId", params: [] }]);
        return results.every((result) => "ok" in result && result.ok);
      } catch (error) {
        if (error instanceof RequestFailure) return false;
        throw error;
      }
    },
    adapt: ({ kind }, size, attempt) => {
      // A second failure for an unknown reason may be an undocumented limit.
      if (kind === "rate" || (size > 1 && (kind === "size" || (kind === "transient" && attempt > 1)))) batches.reportTooLarge(size);
      if (kind !== "rate") return;
      slots.reportTooLarge(slots.current());
      queue.concurrency = slots.current();
    },
    pause: retryGate.waitAfterFailure,
    isClosed: () => closing.signal.aborted,
    close: async () => {
      // Aborts the waits between attempts, so that they do not delay the shutdown; queued requests fail.
      closing.abort();
      await endpoint.close();
    },
  };
};
