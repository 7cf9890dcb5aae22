import { expect, it } from "vitest";
import type { Queryable } from "../../../runtime/database/database.ts";
import { defineProjection, type Row, type StateLoad } from "../../../runtime/indexer/projection.ts";
import { createKeySet } from "../../../runtime/indexer/state/state.ts";
import { createStateCache } from "../../../runtime/indexer/state/state-cache.ts";

const ordinals: StateLoad = { table: "lists", key: { address: "bytea" }, values: ["ordinal"], newestBy: "ordinal" };
const metadata: StateLoad = { table: "of_others", key: { address: "bytea" }, values: [] };
const projection = defineProjection({
  id: "lists",
  version: 1,
  events: [],
  tables: [{ kind: "append", name: "lists", columns: { address: "bytea", ordinal: "int8", block_number: "int8" } }],
  loads: { ordinals, metadata },
  needs: () => ({}),
  fold: () => ({}),
});

/** A database of rows by address that says what it is asked for; real ones are asked in the tests of the loop. */
const createAsked = (stored: Readonly<Record<string, Row>> = {}) => {
  const asked: string[][] = [];
  const database: Queryable = {
    run: () => Promise.reject(new Error("not used")),
    query: <R extends object>(_sql: unknown, parameters: readonly unknown[] = []) => {
      const keys = [...String(parameters[1]).matchAll(/x([0-9a-f]+)/g)].map(([, digits]) => `0x${digits}`);
      asked.push(keys);
      return Promise.resolve(keys.flatMap((address) => (stored[address] === undefined ? [] : [{ address, ...stored[address] }])) as R[]);
    },
  };
  return { database, asked };
};

const keysOf = (...addresses: string[]) => {
  const set = createKeySet();
  for (const address of addresses) set.add(address);
  return set.keys;
};

it("asks for a key once, whether it has a row or not", async () => {
  const { database, asked } = createAsked({ "0x0a": { ordinal: 7 } });
  const cache = createStateCache([projection]);
  for (let batch = 0; batch < 3; batch += 1) {
    cache.begin();
    const rows = await cache.rows(database, 1, ordinals, keysOf("0x0a", "0x0b"));
    expect(rows.get("0x0a")).toMatchObject({ ordinal: 7 });
    expect(rows.get("0x0b")).toBeUndefined();
  }
  expect(asked).toEqual([["0x0a", "0x0b"]]);
});

it("gives what a fold made of a key, by its newest row, before it is in the database", async () => {
  const { database, asked } = createAsked({ "0x0a": { ordinal: 7 } });
  const cache = createStateCache([projection]);
  cache.begin();
  await cache.rows(database, 1, ordinals, keysOf("0x0a", "0x0b"));
  const rows = [
    { address: "0x0a", ordinal: 9, block_number: 2 },
    { address: "0x0a", ordinal: 8, block_number: 1 },
    { address: "0x0b", ordinal: 0, block_number: 1 },
  ];
  cache.keepFolded([projection], [{ lists: rows }]);
  cache.begin();
  const next = await cache.rows(database, 1, ordinals, keysOf("0x0a", "0x0b"));
  expect([next.get("0x0a")?.ordinal, next.get("0x0b")?.ordinal]).toEqual([9, 0]);
  expect(asked).toHaveLength(1);
});

it("asks anew in each batch for rows that others write", async () => {
  const { database, asked } = createAsked();
  const cache = createStateCache([projection], { isNew: true });
  for (let batch = 0; batch < 2; batch += 1) {
    cache.begin();
    for (let portion = 0; portion < 3; portion += 1) await cache.rows(database, 1, metadata, keysOf("0x0a"));
  }
  expect(asked).toEqual([["0x0a"], ["0x0a"]]);
});

it("holds no more than its bound twice over and the keys of two batches, and never forgets the last batch", async () => {
  const limit = 100;
  const each = 60;
  const { database, asked } = createAsked();
  const cache = createStateCache([projection], { limit });
  const address = (number: number) => `0x${number.toString(16).padStart(4, "0")}`;
  let largest = 0;
  for (let batch = 0; batch < 50; batch += 1) {
    const own = Array.from({ length: each }, (_, index) => address(batch * each + index));
    const before = Array.from({ length: each }, (_, index) => address((batch - 1) * each + index));
    cache.begin();
    await cache.rows(database, 1, ordinals, keysOf(...own));
    cache.keepFolded([projection], [{ lists: own.map((key) => ({ address: key, ordinal: batch, block_number: batch })) }]);
    // The batch before may still be in the writing: none of its keys may be asked for.
    const count = asked.length;
    if (batch > 0) expect((await cache.rows(database, 1, ordinals, keysOf(...before))).get(before[0] ?? "")?.ordinal).toBe(batch - 1);
    expect(asked).toHaveLength(count);
    largest = Math.max(largest, cache.size());
  }
  expect(largest).toBeLessThanOrEqual(2 * (limit + 2 * each));
  // What only the first batch touched is forgotten.
  await cache.rows(database, 1, ordinals, keysOf(address(0)));
  expect(asked.at(-1)).toEqual([address(0)]);
});

it("asks nothing of tables that were empty when it began, until it forgets", async () => {
  const { database, asked } = createAsked();
  const cache = createStateCache([projection], { isNew: true, limit: 1 });
  cache.begin();
  const touch = async (key: string) => {
    expect((await cache.rows(database, 1, ordinals, keysOf(key))).get(key)).toBeUndefined();
  };
  await touch("0x0a");
  await touch("0x0b");
  cache.begin();
  await touch("0x0c");
  await touch("0x0d");
  expect(asked).toEqual([]);
  // The first two are forgotten now, and whether they have rows is not known any more.
  cache.begin();
  await touch("0x0a");
  expect(asked).toEqual([["0x0a"]]);
});
