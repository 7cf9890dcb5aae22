import { backoff, sleep, withJitter } from "../lib/async.ts";
import type { RequestFailure } from "./request-failure.ts";

/** Max wait before a request, in milliseconds. */
const maxWait = 20_000;

/** How long a client waits before it sends a request again. */
export interface RetryGateOptions {
  readonly backoffMilliseconds?: number;
  readonly random?: () => number;
}

/** Creates the waits between attempts: exponential backoff with jitter; a rate limit delays all requests. */
export const createRetryGate = ({ backoffMilliseconds = 200, random = Math.random }: RetryGateOptions, closed: AbortSignal) => {
  let readyAt = 0;
  let rejections = 0;
  const waitOf = (attempt: number): number => withJitter(backoff(attempt, { base: backoffMilliseconds, max: maxWait }), random);
  return {
    /** Waits until a rate limit has passed. */
    waitUntilReady: async (): Promise<void> => {
      for (let left = readyAt - Date.now(); left > 0 && !closed.aborted; left = readyAt - Date.now()) await sleep(left, closed);
    },
    /** Waits after a failed attempt. */
    waitAfterFailure: async (failure: RequestFailure, attempt: number): Promise<void> => {
      if (failure.kind !== "rate") return sleep(waitOf(attempt), closed);
      // Concurrent requests are rejected together, which counts as one rejection.
      if (Date.now() >= readyAt) rejections += 1;
      const pause = Math.max(waitOf(rejections), failure.retryAfterMilliseconds ?? 0);
      readyAt = Math.max(readyAt, Date.now() + Math.min(maxWait, pause));
    },
    /** Resets the backoff for rate limits. */
    reset: (): void => {
      rejections = 0;
    },
  };
};
