import { backoff, retry, sleep } from "../lib/async.ts";
import { isTransientFailure } from "./call-outcome.ts";
import { InvalidResponseError, RpcError } from "./errors.ts";
import type { Rpc, RpcCall, RpcResult } from "./rpc.ts";

/** The attempts to fetch responses, and the waits between them. */
export interface ResponseRetryOptions {
  /** Attempts to fetch a consistent response: responses may be inconsistent while a node imports a block. */
  readonly attempts?: number;
  readonly waitMilliseconds?: number;
  /** Called for each invalid or inconsistent response, which is requested again. */
  readonly onInvalidResponse?: (reason: string) => void;
}

/** At the head, a node may need a few milliseconds until all parts of a block are available; the waits add up to 1.2 seconds. */
const defaultAttempts = 6;
const defaultWaitMilliseconds = 40;
const maxWaitMilliseconds = 10_000;

/** Whether the node failed a request or returned an invalid response; a later attempt may succeed. */
export const isNodeFailure = (error: unknown): error is Error => error instanceof InvalidResponseError || error instanceof RpcError;

/** Repeats `work` until the node returns consistent responses; failed requests are repeated too. @throws {Error} if all attempts fail. */
export const retryUntilConsistent = <T>(
  work: () => Promise<T>,
  { attempts = defaultAttempts, waitMilliseconds = defaultWaitMilliseconds, onInvalidResponse }: ResponseRetryOptions,
): Promise<T> =>
  retry(work, {
    attempts,
    base: waitMilliseconds,
    max: maxWaitMilliseconds,
    isRetryable: isNodeFailure,
    onRetry: (error) => {
      if (error instanceof InvalidResponseError) onInvalidResponse?.(error.message);
    },
  });

/** Reads state; reads that fail temporarily are repeated. */
export const settleWithRetries = async <T>(
  rpc: Rpc,
  calls: readonly RpcCall[],
  { attempts = defaultAttempts, waitMilliseconds = defaultWaitMilliseconds }: ResponseRetryOptions,
  read: (result: RpcResult) => T,
  isRetryable: (error: RpcError) => boolean = isTransientFailure,
): Promise<T[]> => {
  const results = await rpc.settle(calls);
  for (let attempt = 1; attempt < attempts; attempt += 1) {
    const pending = results.flatMap((result, position) => (!result.ok && isRetryable(result.error) ? [position] : []));
    if (pending.length === 0) break;
    await sleep(backoff(attempt, { base: waitMilliseconds, max: maxWaitMilliseconds }));
    const retried = await rpc.settle(pending.flatMap((position) => calls[position] ?? []));
    for (const [index, position] of pending.entries()) results[position] = retried[index] ?? (results[position] as RpcResult);
  }
  return results.map(read);
};
