import { LRUCache } from "lru-cache";
import type { Freshness } from "./cache-loads.ts";
import { portionsOf } from "./portions.ts";
import { forEachInTurns } from "./turns.ts";

/** Looks up values by key on a chain; keys without a value are omitted. */
export type Lookup<Value> = (chainId: number, keys: Iterable<string>) => Promise<ReadonlyMap<string, Value>>;

/** The load behind a lookup; its keys are distinct, and there is at least one. */
type LookupLoad<Value> = (chainId: number, keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>;

/** Turns a load into a lookup that caches the values of a limited number of recently used keys per chain; values must not be modified. */
export type CacheLookups = <Value>(load: LookupLoad<Value>, maxKeys: number) => Lookup<Value>;

/** Loads the values for distinct keys. A long list is loaded in portions, between which other requests run (see turns.ts). */
async function loadInPortions<Value>(
  load: LookupLoad<Value>,
  chainId: number,
  keys: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Value>> {
  const [first, ...others] = portionsOf([...keys]);
  if (first === undefined) return new Map();
  const loaded = await load(chainId, first);
  if (others.length === 0) return loaded;
  const found = new Map(loaded);
  for (const portion of others) await forEachInTurns(await load(chainId, portion), ([key, value]) => void found.set(key, value));
  return found;
}

/** Caches nothing. */
export const uncachedLookups: CacheLookups = (load) => async (chainId, keys) => {
  const distinct = new Set<string>();
  await forEachInTurns(keys, (key) => void distinct.add(key));
  return loadInPortions(load, chainId, distinct);
};

interface Cached<Value> {
  readonly value: Value | undefined;
  readonly version: number;
  readonly loadedAt: number;
}

/** Caches each value, or its absence, until a change is reported or the entry expires. The number of chains must be bounded. */
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
      const { found, missing } = await takeFresh(cache, keys, current, loadedAt - maxAgeMilliseconds());
      if (missing.size === 0) return found;
      const loaded = await loadInPortions(load, chainId, missing);
      await forEachInTurns(missing, (key) => {
        const value = loaded.get(key);
        cache.set(key, { value, version: current, loadedAt });
        if (value !== undefined) found.set(key, value);
      });
      return found;
    };
  };

/** The fresh cached values, and the keys without one. */
async function takeFresh<Value>(cache: LRUCache<string, Cached<Value>>, keys: Iterable<string>, version: number, oldest: number) {
  const found = new Map<string, Value>();
  const missing = new Set<string>();
  await forEachInTurns(keys, (key) => {
    const cached = cache.get(key);
    if (cached === undefined || cached.version !== version || cached.loadedAt < oldest) missing.add(key);
    else if (cached.value !== undefined) found.set(key, cached.value);
  });
  return { found, missing };
}
