import { LRUCache } from "lru-cache";
import type { Clock } from "./key-cache.ts";

/** What a key uses of its limits. */
export interface Usage {
  /** Requests that are being processed. */
  readonly requests: number;
  /** Bytes of responses that its clients have not read. */
  readonly bytes: number;
  /** Database time, which drains continuously: completely in a minute if it equals the limit. */
  readonly databaseMilliseconds: number;
}

/**
 * The usage of keys. Limits are checked against it by one process; processes that share keys may add what the others use to `usageOf`.
 */
export interface KeyUsage {
  /** The usage of a key whose database time drains by this many milliseconds per minute. */
  usageOf(keyId: number, drainPerMinute: number): Usage;
  add(keyId: number, change: Partial<Usage>): void;
}

/** Keys whose database time is remembered; a key that was not used for the longest time is forgotten first. */
const maxKeys = 10_000;
const minuteMilliseconds = 60_000;

/** Creates the usage of this process, in bounded memory: running requests are limited elsewhere, and only keys with running requests or unread bytes are kept. */
export function createKeyUsage(clock: Clock = performance): KeyUsage {
  const counts = new Map<number, { requests: number; bytes: number }>();
  const spent = new LRUCache<number, { milliseconds: number; at: number }>({ max: maxKeys });

  return {
    usageOf(keyId, drainPerMinute) {
      const { requests, bytes } = counts.get(keyId) ?? { requests: 0, bytes: 0 };
      const entry = spent.get(keyId);
      if (entry === undefined) return { requests, bytes, databaseMilliseconds: 0 };
      const now = clock.now();
      entry.milliseconds = Math.max(0, entry.milliseconds - ((now - entry.at) * drainPerMinute) / minuteMilliseconds);
      entry.at = now;
      return { requests, bytes, databaseMilliseconds: entry.milliseconds };
    },
    add(keyId, { requests = 0, bytes = 0, databaseMilliseconds = 0 }) {
      const count = counts.get(keyId) ?? { requests: 0, bytes: 0 };
      count.requests += requests;
      count.bytes += bytes;
      if (count.requests === 0 && count.bytes === 0) counts.delete(keyId);
      else counts.set(keyId, count);
      if (databaseMilliseconds === 0) return;
      const entry = spent.get(keyId) ?? { milliseconds: 0, at: clock.now() };
      entry.milliseconds += databaseMilliseconds;
      spent.set(keyId, entry);
    },
  };
}
