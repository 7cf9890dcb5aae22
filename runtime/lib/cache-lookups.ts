import { LRUCache } from "lru-cache";
import type { Freshness } from "./cache-loads.ts";

/** Looks up the values of a chain's keys; keys without a value are omitted. */
export type Lookup<Value> = (chainId: number, keys: Iterable<string>) => Promise<ReadonlyMap<string, Value>>;

/** The load behind a lookup; its keys are distinct, and there is at least one. */
type LookupLoad<Value> = (chainId: number, keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>;

/** Turns a load into a lookup that may cache the values of the most recent keys of each chain, up to a number; values must not be modified. */
export type CacheLookups = <Value>(load: LookupLoad<Value>, maxKeys: number) => Lookup<Value>;

/** Caches nothing. */
export const uncachedLookups: CacheLookups = (load) => async (chainId, keys) => {
  const distinct = [...new Set(keys)];
  return distinct.length === 0 ? new Map() : load(chainId, distinct);
};

interface Cached<Value> {
  readonly value: Value | undefined;
  readonly version: number;
  readonly loadedAt: number;
}

/** Caches each value, or that there is none, until a change is known or it is too old. The number of chains must be bounded. */
export const createLookupCache =
  ({ version, maxAgeMilliseconds, clock }: Freshness): CacheLookups =>
  <Value>(load: LookupLoad<Value>, maxKeys: number): Lookup<Value> => {
    const caches = new Map<number, LRUCache<string, Cached<Value>>>();
    const cacheOf = (chainId: number): LRUCache<string, Cached<Value>> => {
      const cache = caches.get(chainId) ?? new LRUCache<string, Cached<Value>>({ max: maxKeys });
      caches.set(chainId, cache);
      return cache;
    };
    const loadUncached = uncachedLookups(load, maxKeys);
    return async (chainId, keys) => {
      // Read before the load, whose values may be older than a change that is reported while it runs.
      const [current, loadedAt] = [version(), clock.now()];
      if (current === null) return loadUncached(chainId, keys);
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

/** The values of the keys that are cached and fresh, and the other keys. */
function takeFresh<Value>(cache: LRUCache<string, Cached<Value>>, keys: Iterable<string>, version: number, oldest: number) {
  const found = new Map<string, Value>();
  const missing = new Set<string>();
  for (const key of keys) {
    const cached = cache.get(key);
    if (cached === undefined || cached.version !== version || cached.loadedAt < oldest) missing.add(key);
    else if (cached.value !== undefined) found.set(key, cached.value);
  }
  return { found, missing };
}
