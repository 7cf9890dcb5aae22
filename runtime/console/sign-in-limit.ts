import { networkOf } from "../http/address-limits.ts";
import type { Clock } from "../http/key-cache.ts";
import { createWindowCounter } from "../http/window-counter.ts";
import { ConsoleError } from "./errors.ts";

const windowSeconds = 900;
const maxFailures = 10;

/** Locks out a network after failed sign-ins. Tokens cannot be guessed; the limit bounds the load and makes attempts visible. */
export function createSignInLimit(clock?: Clock) {
  const failed = createWindowCounter(windowSeconds, clock);
  return {
    /** @throws {ConsoleError} 429 after too many failures. */
    check(address: string): void {
      const { count, secondsLeft } = failed.get(networkOf(address));
      if (count >= maxFailures)
        throw new ConsoleError(429, `Too many failed sign-ins: ${maxFailures} within ${windowSeconds} s. Retry in ${secondsLeft} s.`);
    },
    countFailure: (address: string): void => void failed.add(networkOf(address)),
  };
}
