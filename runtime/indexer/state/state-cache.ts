import type { Queryable } from "../../database/database.ts";
import type { Projection, Row, StateLoad } from "../projection.ts";
import { loadRows } from "./load-rows.ts";
import { createState, type KeySet, keyText, type State } from "./state.ts";

/** Rows of all loads together that stay when a batch begins; what two batches touch comes on top. */
const defaultLimit = 50_000;

/** What is remembered of one load: null where no row has the key. */
interface Memory {
  readonly load: StateLoad;
  recent: Map<string, Row | null>;
  /** What was recent before; goes when the recent ones grow old. */
  older: Map<string, Row | null>;
}

/**
 * The stored rows that folds start from, as they will be when all that was folded is written: so a batch can be folded before the one before it is
 * written, and what is touched again and again is loaded once. True as long as nobody else writes these tables: after a failure, a roll-back or
 * another's work a new one has to be made.
 */
export interface StateCache {
  /** Begins a batch. By now every batch but the last one must be written: what only older ones touched may be forgotten. */
  begin(): void;
  /** Rows by the text of their keys, from memory or from the database. */
  rows(database: Queryable, chainId: number, load: StateLoad, keys: KeySet): Promise<{ get(key: string): Row | undefined }>;
  /** Takes rows over the ones of their keys, in the order given. */
  keep(load: StateLoad, rows: readonly Row[]): void;
  /** Takes in what projections gave, by projection and table. */
  keepFolded(projections: readonly Projection[], folded: readonly Readonly<Record<string, readonly Row[]>>[]): void;
  /** How many rows are remembered. */
  size(): number;
}

export interface StateCacheOptions {
  /** What is remembered beside the loads of projections. */
  readonly own?: readonly StateLoad[];
  /** The projections have no rows yet: as long as nothing is forgotten, what is not in memory is nowhere. */
  readonly isNew?: boolean;
  readonly limit?: number;
}

/** An empty memory for these projections; rows of tables that others write are kept for one batch. */
export const createStateCache = (
  projections: readonly Projection[],
  { own = [], isNew = false, limit = defaultLimit }: StateCacheOptions = {},
): StateCache => {
  let isComplete = isNew;
  const written = new Set(projections.flatMap(({ tables }) => tables.filter(({ kind }) => kind !== "queue").map(({ name }) => name)));
  const loads = projections.flatMap((projection) => Object.values(projection.loads));
  const foreign = new Set(loads.filter(({ table }) => !written.has(table)));
  const memories = new Map<StateLoad, Memory>([...loads, ...own].map((load) => [load, { load, recent: new Map(), older: new Map() }]));
  const count = (which: "recent" | "older") => [...memories.values()].reduce((sum, memory) => sum + memory[which].size, 0);

  const find = (memory: Memory, key: string): Row | null | undefined => {
    const recent = memory.recent.get(key);
    if (recent !== undefined) return recent;
    const older = memory.older.get(key);
    if (older !== undefined) memory.recent.set(key, older);
    return older;
  };

  const keep = (load: StateLoad, rows: readonly Row[]): void => {
    const memory = memories.get(load);
    if (memory === undefined) return;
    const { newestBy } = load;
    const keyOf = keyReader(load);
    if (newestBy === undefined) {
      for (const row of rows) memory.recent.set(keyOf(row), row);
      return;
    }
    for (const [key, row] of newestRows(rows, keyOf, newestBy)) {
      const known = find(memory, key);
      if (!known || !isNewer(known, row, newestBy)) memory.recent.set(key, row);
    }
  };

  return {
    begin: () => {
      for (const load of foreign) memories.get(load)?.recent.clear();
      if (count("recent") <= limit) return;
      if (count("older") > 0) isComplete = false;
      for (const memory of memories.values()) {
        memory.older = memory.recent;
        memory.recent = new Map();
      }
    },
    rows: async (database, chainId, load, keys) => {
      const memory = memories.get(load);
      if (memory === undefined) return loadRows(database, chainId, load, [...keys.values()]);
      const missing = [...keys].filter(([key]) => find(memory, key) === undefined);
      if (isComplete && !own.includes(load) && !foreign.has(load)) {
        for (const [key] of missing) memory.recent.set(key, null);
      } else if (missing.length > 0) {
        const found = await loadRows(
          database,
          chainId,
          load,
          missing.map(([, key]) => key),
        );
        for (const [key] of missing) memory.recent.set(key, found.get(key) ?? null);
      }
      return { get: (key) => find(memory, key) ?? undefined };
    },
    keep,
    keepFolded: (from, folded) => {
      for (const load of memories.keys()) {
        const position = foreign.has(load) ? -1 : from.findIndex(({ tables }) => tables.some(({ name }) => name === load.table));
        keep(load, folded[position]?.[load.table] ?? []);
      }
    },
    size: () => count("recent") + count("older"),
  };
};

/** Loads what a projection needs of stored rows: what is not in memory by one index probe a key. */
export const loadState = async (
  cache: StateCache,
  database: Queryable,
  chainId: number,
  projection: Projection,
  needs: Readonly<Record<string, KeySet>>,
): Promise<State> => {
  const entries = await Promise.all(
    Object.entries(needs).map(async ([name, keys]) => {
      const load = projection.loads[name];
      if (load === undefined) throw new TypeError(`Projection ${projection.id} needs ${name}, which it does not define.`);
      return [name, await cache.rows(database, chainId, load, keys)] as const;
    }),
  );
  return createState(Object.fromEntries(entries));
};

const isNewer = (known: Row, row: Row, newestBy: string): boolean => Number(known[newestBy]) > Number(row[newestBy]);

/** Of each key the newest row: what is known is compared with no other. */
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
