import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import type { Limits } from "../config/limits.ts";
import { failures } from "./errors.ts";

/** The state of a key's window, for the RateLimit headers. */
export interface Window {
  readonly limit: number;
  /** Also 0 during a burst. */
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
  /** @throws {HttpError} 429 after too many requests without a valid key from an address. */
  checkRefusals(address: string): Promise<void>;
  /** Counts a request without a valid key. */
  countRefusal(address: string): Promise<void>;
}

/** Enough for a script that tries every endpoint; limits a flood to 100 lookups per second. */
const refusals = { points: 1000, duration: 10 };
const burstSeconds = 10;
const wholeSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));

/** Creates rate limits in memory: they apply per server process. */
export function createRateLimits(limits: Pick<Limits, "requestsPerSecond" | "burstRequests">): RateLimits {
  const countRequest =
    limits.requestsPerSecond === "unlimited" ? async () => null : createRequestCount(limits.requestsPerSecond, limits.burstRequests);
  const refused = new RateLimiterMemory(refusals);
  return {
    countRequest,
    async checkRefusals(address) {
      const state = await refused.get(address);
      if (state === null || state.consumedPoints < refusals.points) return;
      throw failures.tooManyRefusals(refusals.points, refusals.duration, wholeSeconds(state.msBeforeNext));
    },
    async countRefusal(address) {
      await refused.penalty(address);
    },
  };
}

function createRequestCount(
  requestsPerSecond: number,
  burstRequests = Math.floor(2 * requestsPerSecond),
): (keyId: number) => Promise<Window> {
  // Below one request per second the window grows, since a limit of 0 would refuse everything.
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
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return windowOf(refusal, true);
      throw refusal;
    }
  };
}
