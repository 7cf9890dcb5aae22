import type { ServerResponse } from "node:http";
import { failures } from "./errors.ts";
import type { RateLimitWindow } from "./rate-limits.ts";

/** Reports a key's rate limit state in headers. @throws {HttpError} 429 if it is exceeded. */
export function enforceRateLimit(response: ServerResponse, window: RateLimitWindow | null): void {
  if (window === null) return;
  response.setHeader("RateLimit-Limit", window.limit);
  response.setHeader("RateLimit-Remaining", window.remaining);
  response.setHeader("RateLimit-Reset", window.secondsLeft);
  if (!window.isExceeded) return;
  response.setHeader("Retry-After", window.secondsLeft);
  throw failures.tooManyRequests(window.limit, window.seconds, window.secondsLeft);
}
