import { LRUCache } from "lru-cache";
import type { Freshness } from "./keep-loads.ts";

/** Looks up the values of a chain's keys; keys without a value are omitted. */
export type Lookup<Value> = (chainId: number, keys: Iterable<string>) => Promise<ReadonlyMap<string, Value>>;

/** The load behind a lookup; its keys are distinct, and there is at least one. */
type LookupLoad<Value> = (chainId: number, keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>;

/** Turns a load into a lookup that may keep the values of the most recent keys of each chain, up to a number; values must not be modified. */
export type KeepLookups = <Value>(load: LookupLoad<Value>, maxKeys: number) => Lookup<Value>;

/** Keeps nothing. */
export const keepNoLookups: KeepLookups = (load) => async (chainId, keys) => {
  const distinct = [...new Set(keys)];
  return distinct.length === 0 ? new Map() : load(chainId, distinct);
};

interface Kept<Value> {
  readonly value: Value | undefined;
  readonly version: number;
  readonly loadedAt: number;
}

/** Keeps each value, or that there is none, until a change is known or it is too old. The number of chains must be bounded. */
export const createKeepLookups =
  ({ version, maxAgeMilliseconds, clock }: Freshness): KeepLookups =>
  <Value>(load: LookupLoad<Value>, maxKeys: number): Lookup<Value> => {
    const caches = new Map<number, LRUCache<string, Kept<Value>>>();
    const cacheOf = (chainId: number): LRUCache<string, Kept<Value>> => {
      const cache = caches.get(chainId) ?? new LRUCache<string, Kept<Value>>({ max: maxKeys });
      caches.set(chainId, cache);
      return cache;
    };
    const loadUnkept = keepNoLookups(load, maxKeys);
    return async (chainId, keys) => {
      // Read before the load, whose values may be older than a change that is reported while it runs.
      const [current, loadedAt] = [version(), clock.now()];
      if (current === null) return loadUnkept(chainId, keys);
      const cache = cacheOf(chainId);
      const { found, missing } = takeFresh(cache, keys, current, loadedAt - maxAgeMilliseconds());
      if (missing.size === 0) return found;
      const loaded = await load(chainId, [...missing]);
      for (const key of missing) {
        const value = loaded.get(key);
        cache.set(key, { value, version: current, loadedAt });
        if (value !== undefined) found.set(key, value);
      }
      return found;
    };
  };

/** The values of the keys that are kept and fresh, and the other keys. */
function takeFresh<Value>(cache: LRUCache<string, Kept<Value>>, keys: Iterable<string>, version: number, oldest: number) {
  const found = new Map<string, Value>();
  const missing = new Set<string>();
  for (const key of keys) {
    const kept = cache.get(key);
    if (kept === undefined || kept.version !== version || kept.loadedAt < oldest) missing.add(key);
    else if (kept.value !== undefined) found.set(key, kept.value);
  }
  return { found, missing };
}
