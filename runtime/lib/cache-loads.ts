import { shareLoads } from "./share-loads.ts";

/** Loads values by key; the result may contain other keys as well. */
export type Load<Key, Value> = (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>;

/** Wraps a load so that concurrent calls share one run; the result may also cache values. */
export type CacheLoads = <Key, Value>(load: Load<Key, Value>) => Load<Key, Value>;

/** Caches nothing: each call receives the result from a load that started after it. */
export const uncachedLoads: CacheLoads = (load) => shareLoads(load);

/** How to decide whether cached values are still current. */
export interface Freshness {
  /** The number of known changes: values are cached until it changes. Null while changes are not known, so that nothing is cached. */
  version(): number | null;
  /** How long values are cached without a known change. */
  maxAgeMilliseconds(): number;
  readonly clock: { now(): number };
}

/** Caches each value until a change is known or it is too old. The number of keys must be bounded. */
export const createLoadCache =
  ({ version, maxAgeMilliseconds, clock }: Freshness): CacheLoads =>
  <Key, Value>(load: Load<Key, Value>): Load<Key, Value> => {
    interface Cached {
      readonly values: ReadonlyMap<Key, Value>;
      readonly version: number;
      readonly loadedAt: number;
    }
    const cache = new Map<Key, Cached>();
    const shared = shareLoads(async (keys: readonly Key[]) => {
      // Read before the load, whose values may be older than a change that is reported while it runs.
      const [started, loadedAt] = [version(), clock.now()];
      const values = await load(keys);
      if (started !== null) for (const key of keys) cache.set(key, { values, version: started, loadedAt });
      return values;
    });
    return async (keys) => {
      const current = version();
      if (current === null) return shared(keys);
      const oldest = clock.now() - maxAgeMilliseconds();
      const found = new Set<ReadonlyMap<Key, Value>>();
      for (const key of keys) {
        const entry = cache.get(key);
        if (entry === undefined || entry.version !== current || entry.loadedAt < oldest) return shared(keys);
        found.add(entry.values);
      }
      const [first = new Map<Key, Value>(), ...others] = found;
      return others.length === 0 ? first : new Map([first, ...others].flatMap((values) => [...values]));
    };
  };
