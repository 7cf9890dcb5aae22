import PQueue from "p-queue";
import type { RpcCall, RpcResult } from "./call.ts";
import { TransportError } from "./errors.ts";
import { createEndpoint } from "./exchange.ts";
import { Fault } from "./faults.ts";
import { createAdaptiveSize } from "./limits.ts";
import { createPace, type PaceOptions } from "./pace.ts";

export interface TransportOptions extends PaceOptions {
  /** May contain a secret: no message of this module shows more than its host. */
  readonly url: string;
  /** Maximum of calls in one HTTP request, lowered to what the node accepts; 1 sends no batches. */
  readonly batchSize?: number;
  /** Maximum of concurrent HTTP requests, lowered to what the node accepts. */
  readonly concurrency?: number;
  readonly timeoutMilliseconds?: number;
  /** Larger replies make the next requests smaller, which bounds the memory of concurrent requests. */
  readonly replyBytes?: number;
}

/** The outcome of one request. Calls without a result may be sent again; the fault is the reason. */
export interface RequestOutcome {
  readonly results: readonly (RpcResult | null)[];
  readonly fault: Fault | null;
}

const defaultReplyBytes = 8 * 1024 * 1024;

/** Sends requests to one node, within limits that adapt to what the node accepts. */
export interface Transport {
  /** The current maximum of calls in one request. */
  batchSize(): number;
  limits(): { readonly batchSize: number; readonly concurrency: number };
  /** Runs work when fewer than the maximum of concurrent requests are in flight. */
  enqueue<T>(work: () => Promise<T>): Promise<T | undefined>;
  /** Sends calls in one request, after the wait that a rate limit imposes. @throws {TransportError} if the transport is closed. */
  send(calls: readonly RpcCall[]): Promise<RequestOutcome>;
  /** Whether the node responds to the cheapest call. */
  isResponding(): Promise<boolean>;
  /** Lowers the limits after a fault of a request with `size` calls. */
  adapt(fault: Fault, size: number, attempt: number): void;
  /** Waits before the next attempt after a fault. */
  pause(fault: Fault, attempt: number): Promise<void>;
  isClosed(): boolean;
  close(): Promise<void>;
}

/** Creates a transport, which connects with the first request. */
export const createTransport = (options: TransportOptions): Transport => {
  const { batchSize = 100, concurrency = 8, timeoutMilliseconds = 30_000, replyBytes = defaultReplyBytes } = options;
  const queue = new PQueue({ concurrency });
  const endpoint = createEndpoint(options.url, concurrency, timeoutMilliseconds);
  const batches = createAdaptiveSize(batchSize);
  const lanes = createAdaptiveSize(concurrency);
  const closing = new AbortController();
  const pace = createPace(options, closing.signal);

  const noteSuccess = (size: number, bytes: number): void => {
    if (bytes > replyBytes) batches.shrink(size);
    else batches.succeed(size);
    lanes.succeed(lanes.current());
    queue.concurrency = lanes.current();
    pace.succeed();
  };

  const send = async (calls: readonly RpcCall[]): Promise<RequestOutcome> => {
    await pace.ready();
    if (closing.signal.aborted) throw new TransportError(`The connection to the node at ${endpoint.host} is closed.`);
    try {
      const { results, bytes } = await endpoint.exchange(calls);
      const limited = results.flatMap((result) => ("again" in result ? [result] : [])).at(-1);
      if (limited === undefined) noteSuccess(calls.length, bytes);
      return {
        results: results.map((result) => ("again" in result ? null : result)),
        fault: limited === undefined ? null : new Fault(limited.again, `The node at ${endpoint.host} reports a limit: ${limited.message}`),
      };
    } catch (error) {
      if (error instanceof Fault) return { results: calls.map(() => null), fault: error };
      throw error;
    }
  };

  return {
    batchSize: batches.current,
    limits: () => ({ batchSize: batches.current(), concurrency: lanes.current() }),
    enqueue: async (work) => (await queue.add(work)) ?? undefined,
    send,
    isResponding: async () => {
      try {
        const { results } = await endpoint.exchange([{ method: "eth_chainId", params: [] }]);
        return results.every((result) => "ok" in result && result.ok);
      } catch (error) {
        if (error instanceof Fault) return false;
        throw error;
      }
    },
    adapt: ({ kind }, size, attempt) => {
      // A second failure without a stated reason may be an undocumented limit.
      if (kind === "rate" || (size > 1 && (kind === "size" || (kind === "transient" && attempt > 1)))) batches.shrink(size);
      if (kind !== "rate") return;
      lanes.shrink(lanes.current());
      queue.concurrency = lanes.current();
    },
    pause: pace.after,
    isClosed: () => closing.signal.aborted,
    close: async () => {
      // Waits before retries end, so that they do not delay the stop; queued requests fail.
      closing.abort();
      await endpoint.close();
    },
  };
};
