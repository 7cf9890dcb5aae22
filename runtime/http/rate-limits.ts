import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import type { Limits } from "../config/limits.ts";
import { failures } from "./errors.ts";

/** The state of a key's window, as the RateLimit headers tell it. */
export interface Window {
  readonly limit: number;
  /** 0 as well while a burst is accepted. */
  readonly remaining: number;
  /** Whole seconds until the window ends. */
  readonly reset: number;
  readonly exceeded: boolean;
  /** The window's length in seconds. */
  readonly seconds: number;
}

export interface RateLimits {
  /** Counts a request of a key; null where keys have no limit. */
  countRequest(keyId: number): Promise<Window | null>;
  /** @throws {HttpError} 429 where too many requests without a valid key came from an address. */
  checkRefusals(address: string): Promise<void>;
  /** Counts a request without a valid key. */
  countRefusal(address: string): Promise<void>;
}

/** Enough for a script that tries every endpoint; a flood costs a hundred look-ups a second at most. */
const refusals = { points: 1000, duration: 10 };
const burstSeconds = 10;
const wholeSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));

/** Counts in this process: a key's limit holds for each server process. */
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
  // Below one request a second the window grows instead of the limit shrinking to nothing.
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
