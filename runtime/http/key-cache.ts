import { LRUCache } from "lru-cache";
import { type ActiveKey, hashKey, type Keys } from "./keys.ts";

/** A revoked key stops working within 5 s: the duration of the lookup is subtracted, which leaves 2 s for a slow one. */
const activeMilliseconds = 3000;
/** Short, so that a new key works soon after its creation. */
const unknownMilliseconds = 1000;
/** How long a valid key may be looked up again without admission. */
const provenMilliseconds = 600_000;
/** Per cache, so that a flood of invalid keys evicts invalid keys only. */
const capacity = 10_000;

export interface KeyCache {
  /**
   * Returns the active key, or null; concurrent lookups of one key are shared. `admit` runs before the lookup of a key that was not valid recently, and may
   * refuse it: other clients at the same address cannot block a valid key.
   */
  find(key: string, admit?: () => Promise<void>): Promise<ActiveKey | null>;
}

/** A monotonic clock in milliseconds. */
export interface Clock {
  now(): number;
}

/** Caches lookups of keys, including unsuccessful ones, for seconds. */
export function createKeyCache(keys: Pick<Keys, "find">, clock: Clock = performance): KeyCache {
  // The cache reads the clock again only after `ttlResolution`: with 0, each time.
  const options = { max: capacity, perf: clock, ttlResolution: 0 };
  const active = new LRUCache<string, ActiveKey>({ ...options, ttl: activeMilliseconds });
  const unknown = new LRUCache<string, true>({ ...options, ttl: unknownMilliseconds });
  const proven = new LRUCache<string, true>({ ...options, ttl: provenMilliseconds });
  const running = new Map<string, Promise<ActiveKey | null>>();

  const lookUp = async (hash: Buffer, id: string): Promise<ActiveKey | null> => {
    const startedAt = clock.now();
    const found = await keys.find(hash);
    const left = activeMilliseconds - (clock.now() - startedAt);
    if (found === null) {
      unknown.set(id, true);
      proven.delete(id);
      return null;
    }
    proven.set(id, true);
    if (left >= 1) active.set(id, found, { ttl: left });
    return found;
  };

  return {
    async find(key, admit) {
      const hash = hashKey(key);
      const id = hash.toString("base64");
      const known = active.get(id) ?? (unknown.has(id) ? null : undefined);
      if (known !== undefined) return known;
      if (!proven.has(id)) await admit?.();
      const earlier = running.get(id);
      if (earlier !== undefined) return earlier;
      const lookingUp = lookUp(hash, id).finally(() => running.delete(id));
      running.set(id, lookingUp);
      return lookingUp;
    },
  };
}
