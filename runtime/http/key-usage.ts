import { LRUCache } from "lru-cache";
import type { Clock } from "./key-cache.ts";

/** How much a key uses of its limits. */
export interface Usage {
  /** Requests that are being processed. */
  readonly runningRequests: number;
  /** Database time, which drains continuously: completely in a minute if it equals the limit. */
  readonly databaseMilliseconds: number;
}

/** Tracks keys' usage. Database time drains by a number of milliseconds per minute, which is the key's limit. */
export interface KeyUsage {
  usageOf(keyId: number, drainPerMinute: number): Usage;
  start(keyId: number): void;
  end(keyId: number, databaseMilliseconds: number, drainPerMinute: number): void;
}

/** Max keys whose database time is remembered; the least recently used keys are forgotten first. */
const maxKeys = 10_000;
const minuteMilliseconds = 60_000;

/** Creates the tracker of this process, in bounded memory: running requests are limited elsewhere, and only keys with running requests are counted. */
export function createKeyUsage(clock: Clock = performance): KeyUsage {
  const running = new Map<number, number>();
  const spent = new LRUCache<number, { readonly milliseconds: number; readonly at: number }>({ max: maxKeys });

  const spentBy = (keyId: number, drainPerMinute: number): number => {
    const entry = spent.get(keyId);
    if (entry === undefined) return 0;
    return Math.max(0, entry.milliseconds - ((clock.now() - entry.at) * drainPerMinute) / minuteMilliseconds);
  };
  return {
    usageOf: (keyId, drainPerMinute) => ({
      runningRequests: running.get(keyId) ?? 0,
      databaseMilliseconds: spentBy(keyId, drainPerMinute),
    }),
    start: (keyId) => void running.set(keyId, (running.get(keyId) ?? 0) + 1),
    end(keyId, databaseMilliseconds, drainPerMinute) {
      const others = (running.get(keyId) ?? 0) - 1;
      if (others <= 0) running.delete(keyId);
      else running.set(keyId, others);
      // Without a limit, nothing drains and nothing is counted.
      if (databaseMilliseconds === 0 || drainPerMinute === 0) return;
      // Earlier time has drained until now; the new time has not.
      spent.set(keyId, { milliseconds: spentBy(keyId, drainPerMinute) + databaseMilliseconds, at: clock.now() });
    },
  };
}
