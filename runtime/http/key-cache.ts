import { LRUCache } from "lru-cache";
import { noOutage, type PrimaryOutage } from "../database/primary-outage.ts";
import { runDetached, untilAborted } from "../lib/active-request.ts";
import { type ActiveKey, hashKey, type Keys } from "./keys.ts";

/** A cached key's lifetime, from which the lookup's duration is subtracted. A revoked key therefore stops working within 5 s, even if a lookup takes 2 s. */
const activeMilliseconds = 3000;
/** An unknown key's lifetime; short, so that a new key works soon after its creation. */
const unknownMilliseconds = 1000;
/** How long after a successful lookup a key may be looked up again without calling `admit`, and is known while the primary is lost. */
const recentlyValidMilliseconds = 600_000;
/** Max keys per cache; valid and invalid keys have separate caches, so that a flood of invalid keys evicts only invalid keys. */
const maxKeys = 10_000;

export interface KeyCache {
  /**
   * Returns the active key, or null; synchronously if it is cached. Concurrent lookups of one key are shared. `admit` runs before the lookup of a key
   * that was not recently valid, and may reject it: other clients at the same address cannot block a valid key.
   */
  find(key: string, admit?: () => void): ActiveKey | null | Promise<ActiveKey | null>;
}

/** A monotonic clock in milliseconds. */
export interface Clock {
  now(): number;
}

/** Caches key lookups, including unsuccessful ones, for seconds; while the primary is lost, a key keeps the state from its last lookup. */
export function createKeyCache(keys: Pick<Keys, "find">, clock: Clock = performance, outage: PrimaryOutage = noOutage): KeyCache {
  // The cache reads the clock at most once per `ttlResolution`; 0 makes it read the clock each time.
  const options = { max: maxKeys, perf: clock, ttlResolution: 0 };
  const active = new LRUCache<string, ActiveKey>({ ...options, ttl: activeMilliseconds });
  const unknown = new LRUCache<string, true>({ ...options, ttl: unknownMilliseconds });
  const recentlyValid = new LRUCache<string, ActiveKey>({ ...options, ttl: recentlyValidMilliseconds });
  const lookups = new Map<string, Promise<ActiveKey | null>>();

  const lookUp = async (hash: Buffer, id: string): Promise<ActiveKey | null> => {
    const startedAt = clock.now();
    const found = await outage.load(
      () => keys.find(hash),
      () => recentlyValid.get(id),
    );
    const left = activeMilliseconds - (clock.now() - startedAt);
    if (found === null) {
      unknown.set(id, true);
      recentlyValid.delete(id);
      return null;
    }
    recentlyValid.set(id, found);
    if (left >= 1) active.set(id, found, { ttl: left });
    return found;
  };

  return {
    find(key, admit) {
      const hash = hashKey(key);
      const id = hash.toString("base64");
      const cached = active.get(id) ?? (unknown.has(id) ? null : undefined);
      if (cached !== undefined) return cached;
      if (!recentlyValid.has(id)) admit?.();
      const running = lookups.get(id);
      if (running !== undefined) return untilAborted(running);
      const lookup = runDetached(() => lookUp(hash, id).finally(() => lookups.delete(id)));
      lookups.set(id, lookup);
      return untilAborted(lookup);
    },
  };
}
