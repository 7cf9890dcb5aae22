import type { RequestLimits } from "../config/limits.ts";
import type { Clock } from "./key-cache.ts";
import { createWindowCounter } from "./window-counter.ts";

/** A key's current window, for the RateLimit headers. */
export interface RateLimitWindow {
  readonly limit: number;
  /** Remaining requests; also 0 during a burst. */
  readonly remaining: number;
  /** Whole seconds until the window ends. */
  readonly secondsLeft: number;
  readonly isExceeded: boolean;
  /** The window's length in seconds. */
  readonly seconds: number;
}

export interface RateLimits {
  /** Counts a key's request; null if requests are unlimited. */
  countRequest(keyId: number): RateLimitWindow | null;
}

const burstSeconds = 10;

/** Creates rate limits in memory: they apply per server process. Above the rate, a key may send a number of additional requests every ten seconds. */
export function createRateLimits(
  { requestsPerSecond, burstRequests }: Pick<RequestLimits, "requestsPerSecond" | "burstRequests">,
  clock?: Clock,
): RateLimits {
  if (requestsPerSecond === "unlimited") return { countRequest: () => null };
  // Below one request per second the window grows, because a limit of 0 would reject everything.
  const limit = Math.max(1, Math.floor(requestsPerSecond));
  const seconds = Math.max(1, Math.ceil(1 / requestsPerSecond));
  const maxBurst = burstRequests ?? Math.floor(2 * requestsPerSecond);
  const steady = createWindowCounter(seconds, clock);
  const bursts = createWindowCounter(burstSeconds, clock);
  return {
    countRequest(keyId) {
      const id = String(keyId);
      const { count, secondsLeft } = steady.add(id);
      if (count <= limit) return { limit, remaining: limit - count, secondsLeft, isExceeded: false, seconds };
      if (maxBurst === 0) return { limit, remaining: 0, secondsLeft, isExceeded: true, seconds };
      const burst = bursts.add(id);
      return { limit, remaining: 0, secondsLeft: Math.min(secondsLeft, burst.secondsLeft), isExceeded: burst.count > maxBurst, seconds };
    },
  };
}
