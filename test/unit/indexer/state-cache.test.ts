import { expect, test } from "vitest";
import type { Queryable } from "../../../runtime/database/database.ts";
import { defineProjection, type Row, type StateLoad } from "../../../runtime/indexer/projection.ts";
import { createKeySet } from "../../../runtime/indexer/state/state.ts";
import { createStateCache } from "../../../runtime/indexer/state/state-cache.ts";

const ordinals: StateLoad = { table: "lists", key: { address: "bytea" }, valueColumns: ["ordinal"], newestBy: "ordinal" };
const metadata: StateLoad = { table: "other_rows", key: { address: "bytea" }, valueColumns: [] };
const projection = defineProjection({
  id: "lists",
  version: 1,
  events: [],
  tables: [{ kind: "append", name: "lists", columns: { address: "bytea", ordinal: "int8", block_number: "int8" } }],
  loads: { ordinals, metadata },
  keysToLoad: () => ({}),
  fold: () => ({}),
});

/** A database with rows by address that records the queried addresses; the indexing loop's tests query a real one. */
const createRecordingDatabase = (stored: Readonly<Record<string, Row>> = {}) => {
  const queried: string[][] = [];
  const database: Queryable = {
    run: () => Promise.reject(new Error("Unexpected statement")),
    query: <R extends object>(_sql: unknown, parameters: readonly unknown[] = []) => {
      const keys = [...String(parameters[1]).matchAll(/x([0-9a-f]+)/g)].map(([, digits]) => `0x${digits}`);
      queried.push(keys);
      return Promise.resolve(keys.flatMap((address) => (stored[address] === undefined ? [] : [{ address, ...stored[address] }])) as R[]);
    },
  };
  return { database, queried };
};

const keysOf = (...addresses: string[]) => {
  const set = createKeySet();
  for (const address of addresses) set.add(address);
  return set.keys;
};

const createCache = (database: Queryable, options: { isNew?: boolean; limit?: number } = {}) =>
  createStateCache({ database, chainId: 1, projections: [projection], ...options });

test("the state cache queries a key once, even if it has no row", async () => {
  const { database, queried } = createRecordingDatabase({ "0x0a": { ordinal: 7 } });
  const cache = createCache(database);
  for (let batch = 0; batch < 3; batch += 1) {
    cache.clear();
    await cache.prefetch(ordinals, keysOf("0x0a", "0x0b"));
    expect(cache.get(ordinals, "0x0a")).toMatchObject({ ordinal: 7 });
    expect(cache.get(ordinals, "0x0b")).toBeUndefined();
  }
  expect(queried).toEqual([["0x0a", "0x0b"]]);
});

test("the state cache returns a key's newest folded row before it is in the database", async () => {
  const { database, queried } = createRecordingDatabase({ "0x0a": { ordinal: 7 } });
  const cache = createCache(database);
  cache.clear();
  await cache.prefetch(ordinals, keysOf("0x0a", "0x0b"));
  cache.set("lists", [
    { address: "0x0a", ordinal: 9, block_number: 2 },
    { address: "0x0a", ordinal: 8, block_number: 1 },
    { address: "0x0b", ordinal: 0, block_number: 1 },
  ]);
  cache.clear();
  await cache.prefetch(ordinals, keysOf("0x0a", "0x0b"));
  expect([cache.get(ordinals, "0x0a")?.ordinal, cache.get(ordinals, "0x0b")?.ordinal]).toEqual([9, 0]);
  expect(queried).toHaveLength(1);
});

test("the state cache queries other writers' rows again in each batch", async () => {
  const { database, queried } = createRecordingDatabase();
  const cache = createCache(database, { isNew: true });
  for (let batch = 0; batch < 2; batch += 1) {
    cache.clear();
    for (let call = 0; call < 3; call += 1) await cache.prefetch(metadata, keysOf("0x0a"));
  }
  expect(queried).toEqual([["0x0a"], ["0x0a"]]);
});

test("the state cache holds at most twice its limit plus the keys of four batches, and never drops the last batch", async () => {
  const limit = 100;
  const batchKeys = 60;
  const { database, queried } = createRecordingDatabase();
  const cache = createCache(database, { limit });
  const address = (number: number) => `0x${number.toString(16).padStart(4, "0")}`;
  let largest = 0;
  for (let batch = 0; batch < 50; batch += 1) {
    const keys = Array.from({ length: batchKeys }, (_, index) => address(batch * batchKeys + index));
    const previousKeys = Array.from({ length: batchKeys }, (_, index) => address((batch - 1) * batchKeys + index));
    cache.clear();
    await cache.prefetch(ordinals, keysOf(...keys));
    cache.set(
      "lists",
      keys.map((key) => ({ address: key, ordinal: batch, block_number: batch })),
    );
    // The previous batch may not be written yet, so its keys must not be queried.
    const count = queried.length;
    if (batch > 0) {
      await cache.prefetch(ordinals, keysOf(...previousKeys));
      expect(cache.get(ordinals, previousKeys[0] ?? "")?.ordinal).toBe(batch - 1);
    }
    expect(queried).toHaveLength(count);
    largest = Math.max(largest, cache.size);
  }
  expect(largest).toBeLessThanOrEqual(2 * (limit + 2 * batchKeys));
  // The keys that only the first batch touched were dropped.
  await cache.prefetch(ordinals, keysOf(address(0)));
  expect(queried.at(-1)).toEqual([address(0)]);
});

test("the state cache does not query tables that were empty at the start until it drops rows", async () => {
  const { database, queried } = createRecordingDatabase();
  const cache = createCache(database, { isNew: true, limit: 1 });
  cache.clear();
  const touch = async (key: string) => {
    await cache.prefetch(ordinals, keysOf(key));
    expect(cache.get(ordinals, key)).toBeUndefined();
  };
  await touch("0x0a");
  await touch("0x0b");
  cache.clear();
  await touch("0x0c");
  await touch("0x0d");
  expect(queried).toEqual([]);
  // The first two are dropped now, so the cache must query whether they have rows.
  cache.clear();
  await touch("0x0a");
  expect(queried).toEqual([["0x0a"]]);
});

test("the state cache is invalid after invalidation", () => {
  const cache = createCache(createRecordingDatabase().database);
  expect(cache.isValid).toBe(true);
  cache.invalidate();
  expect(cache.isValid).toBe(false);
});
