import type { Queryable } from "../../database/database.ts";
import type { Projection, Row, StateLoad } from "../projection.ts";
import { loadRows } from "./load-rows.ts";
import { createState, type Key, type KeySet, keyText, type State } from "./state.ts";

/** Max rows in all loads at the start of a batch, not counting rows that the last two batches touched. */
const defaultLimit = 50_000;

/**
 * The stored rows that folds start from, as they will be after every folded batch is written. A batch can therefore be folded before the previous one is
 * written, and a row that many batches touch is loaded once. The cache is valid while no other process writes these tables.
 */
export interface StateCache {
  /** False after `invalidate`. */
  readonly isValid: boolean;
  /** The number of cached keys. */
  readonly size: number;
  /** Returns the row of a key that was prefetched or set; undefined if no row has that key. */
  get(load: StateLoad, key: string): Row | undefined;
  /** Replaces cached rows that have the same keys in every load from a table, in order. */
  set(table: string, rows: readonly Row[]): void;
  /** Loads the rows of uncached keys. */
  prefetch(load: StateLoad, keys: KeySet): Promise<void>;
  /** Permanently marks the cache as stale: rows that were folded from it must not be written. */
  invalidate(): void;
  /** Frees memory between batches: drops rows of tables that other writers change and, above the limit, rows that only older batches touched. */
  clear(): void;
}

export interface StateCacheOptions {
  readonly database: Queryable;
  readonly chainId: number;
  readonly projections: readonly Projection[];
  /** Loads of stored node responses, which are cached in addition to the projections' loads. */
  readonly nodeReads?: readonly StateLoad[];
  /** Whether the projections have no rows yet: a key that is not cached then has no row, as long as nothing was dropped. */
  readonly isNew?: boolean;
  readonly limit?: number;
}

/** One load's cached rows in two generations; null if no row has the key. */
interface LoadCache {
  readonly load: StateLoad;
  /** Whether other writers change the table, so that its rows are only kept for one batch. */
  readonly isForeign: boolean;
  /** Whether a key that is not cached may have a stored row even if the projections have no rows yet. */
  readonly isNodeRead: boolean;
  recent: Map<string, Row | null>;
  /** Dropped when `recent` takes its place. */
  older: Map<string, Row | null>;
}

/** Creates an empty cache for projections' loads. */
export const createStateCache = (options: StateCacheOptions): StateCache => {
  const { database, chainId, limit = defaultLimit } = options;
  const caches = createLoadCaches(options);
  const all = [...caches.values()];
  const byTable = groupByTable(all);
  let isComplete = options.isNew ?? false;
  let isValid = true;
  const count = (generation: "recent" | "older") => all.reduce((sum, cache) => sum + cache[generation].size, 0);

  const cacheOf = (load: StateLoad): LoadCache => {
    const cache = caches.get(load);
    if (cache === undefined) throw new TypeError(`No projection of this cache loads rows of ${load.table}.`);
    return cache;
  };

  return {
    get isValid() {
      return isValid;
    },
    get size() {
      return count("recent") + count("older");
    },
    get: (load, key) => find(cacheOf(load), key) ?? undefined,
    set: (table, rows) => {
      for (const cache of byTable.get(table) ?? []) if (!cache.isForeign) setRows(cache, rows);
    },
    prefetch: async (load, keys) => {
      const cache = cacheOf(load);
      const missing = new Map<string, Key>();
      for (const [text, key] of keys) if (find(cache, text) === undefined) missing.set(text, key);
      if (missing.size === 0) return;
      const isEmpty = isComplete && !cache.isNodeRead && !cache.isForeign;
      const found = isEmpty ? null : await loadRows(database, chainId, load, [...missing.values()]);
      for (const text of missing.keys()) cache.recent.set(text, found?.get(text) ?? null);
    },
    invalidate: () => {
      isValid = false;
    },
    clear: () => {
      for (const cache of all) if (cache.isForeign) cache.recent.clear();
      if (count("recent") <= limit) return;
      if (count("older") > 0) isComplete = false;
      for (const cache of all) {
        cache.older = cache.recent;
        cache.recent = new Map();
      }
    },
  };
};

/** Caches the rows that a projection needs, and returns them as a fold's state. */
export const loadState = async (cache: StateCache, projection: Projection, needs: Readonly<Record<string, KeySet>>): Promise<State> => {
  const entries = await Promise.all(
    Object.entries(needs).map(async ([name, keys]) => {
      const load = projection.loads[name];
      if (load === undefined) throw new TypeError(`Projection ${projection.id} needs the load "${name}", which is not among its loads.`);
      await cache.prefetch(load, keys);
      return [name, { get: (key: string) => cache.get(load, key) }] as const;
    }),
  );
  return createState(Object.fromEntries(entries));
};

const createLoadCaches = ({ projections, nodeReads = [] }: StateCacheOptions): Map<StateLoad, LoadCache> => {
  const written = new Set(projections.flatMap(({ tables }) => tables.filter(({ kind }) => kind !== "queue").map(({ name }) => name)));
  const create = (load: StateLoad, isNodeRead: boolean): [StateLoad, LoadCache] => [
    load,
    { load, isNodeRead, isForeign: !isNodeRead && !written.has(load.table), recent: new Map(), older: new Map() },
  ];
  const loads = projections.flatMap((projection) => Object.values(projection.loads));
  return new Map([...loads.map((load) => create(load, false)), ...nodeReads.map((load) => create(load, true))]);
};

const groupByTable = (caches: readonly LoadCache[]): Map<string, LoadCache[]> => {
  const groups = new Map<string, LoadCache[]>();
  for (const cache of caches) groups.set(cache.load.table, [...(groups.get(cache.load.table) ?? []), cache]);
  return groups;
};

const find = (cache: LoadCache, key: string): Row | null | undefined => {
  const recent = cache.recent.get(key);
  if (recent !== undefined) return recent;
  const older = cache.older.get(key);
  if (older !== undefined) cache.recent.set(key, older);
  return older;
};

const setRows = (cache: LoadCache, rows: readonly Row[]): void => {
  const { newestBy } = cache.load;
  const keyOf = keyReader(cache.load);
  if (newestBy === undefined) {
    for (const row of rows) cache.recent.set(keyOf(row), row);
    return;
  }
  for (const [key, row] of newestRows(rows, keyOf, newestBy)) {
    const cached = find(cache, key);
    if (!cached || !isNewer(cached, row, newestBy)) cache.recent.set(key, row);
  }
};

const isNewer = (row: Row, other: Row, newestBy: string): boolean => Number(row[newestBy]) > Number(other[newestBy]);

/** Each key's newest row. */
const newestRows = (rows: readonly Row[], keyOf: (row: Row) => string, newestBy: string): Map<string, Row> => {
  const newest = new Map<string, Row>();
  for (const row of rows) {
    const key = keyOf(row);
    const other = newest.get(key);
    if (other === undefined || !isNewer(other, row, newestBy)) newest.set(key, row);
  }
  return newest;
};

const keyReader = (load: StateLoad): ((row: Row) => string) => {
  const columns = Object.keys(load.key);
  const [only] = columns;
  if (columns.length === 1 && only !== undefined) return (row) => String(row[only]);
  return (row) => keyText(columns.map((column) => String(row[column])));
};
