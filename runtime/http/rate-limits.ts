import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import type { Limits } from "../config/limits.ts";

/** The state of a key's window, for the RateLimit headers. */
export interface Window {
  readonly limit: number;
  /** Remaining requests; 0 during a burst too. */
  readonly remaining: number;
  /** Whole seconds until the window ends. */
  readonly reset: number;
  readonly exceeded: boolean;
  /** The window's length in seconds. */
  readonly seconds: number;
}

export interface RateLimits {
  /** Counts a request of a key; null if requests are unlimited. */
  countRequest(keyId: number): Promise<Window | null>;
}

const burstSeconds = 10;
const wholeSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));

/** Creates rate limits in memory: they apply per server process. */
export function createRateLimits(limits: Pick<Limits, "requestsPerSecond" | "burstRequests">): RateLimits {
  return {
    countRequest:
      limits.requestsPerSecond === "unlimited" ? async () => null : createRequestCount(limits.requestsPerSecond, limits.burstRequests),
  };
}

function createRequestCount(
  requestsPerSecond: number,
  burstRequests = Math.floor(2 * requestsPerSecond),
): (keyId: number) => Promise<Window> {
  // Below one request per second the window grows, because a limit of 0 would reject everything.
  const points = Math.max(1, Math.floor(requestsPerSecond));
  const duration = Math.max(1, Math.ceil(1 / requestsPerSecond));
  const steady = new RateLimiterMemory({ points, duration });
  const burst = new RateLimiterMemory({ points: burstRequests, duration: burstSeconds, keyPrefix: "burst" });
  const requests = burstRequests === 0 ? steady : new BurstyRateLimiter(steady, burst);

  const windowOf = ({ remainingPoints, msBeforeNext }: RateLimiterRes, exceeded: boolean): Window => ({
    limit: points,
    remaining: Math.max(0, remainingPoints),
    reset: wholeSeconds(msBeforeNext),
    exceeded,
    seconds: duration,
  });
  return async (keyId) => {
    try {
      return windowOf(await requests.consume(keyId), false);
    } catch (error) {
      if (error instanceof RateLimiterRes) return windowOf(error, true);
      throw error;
    }
  };
}
