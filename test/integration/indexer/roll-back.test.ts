import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createRandom } from "../../../demo/story/random.ts";
import type { Database } from "../../../runtime/database/database.ts";
import { defineProjection, type LatestTable, type PeriodTable, type Projection } from "../../../runtime/indexer/projection.ts";
import { type BlockBoundTable, clearProjection, rollBack } from "../../../runtime/indexer/reorg/roll-back.ts";
import { writeRows } from "../../../runtime/indexer/storage/write-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const [chain, otherChain] = [7, 8];
/** A table of latest values with two key columns and two value columns, and the table of its periods. */
const latest: LatestTable = {
  kind: "latest",
  name: "shelf",
  key: ["owner", "item"],
  periodTable: "shelf_periods",
  columns: { owner: "bytea", item: "int2", since_block: "int8", amount: "numeric", colour: "text" },
};
const periods: PeriodTable = {
  kind: "periods",
  name: "shelf_periods",
  columns: { owner: "bytea", item: "int2", from_block: "int8", to_block: "int8", amount: "numeric", colour: "text" },
};
const projectionOf = (...tables: Projection["tables"]): Projection => ({
  id: "shelf",
  version: 1,
  events: [],
  tables,
  loads: {},
  keysToLoad: () => ({}),
  fold: () => ({}),
});
const shelf = defineProjection(projectionOf(latest, periods));

interface Change {
  readonly block: number;
  readonly owner: `0x${string}`;
  readonly item: number;
  readonly amount: string | null;
}

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = testDatabase.database;
  await database.query(`CREATE TABLE shelf (chain_id int8, owner bytea, item int2, since_block int8, amount numeric, colour text, PRIMARY KEY (chain_id, owner, item));
    CREATE TABLE shelf_periods (chain_id int8, owner bytea, item int2, from_block int8, to_block int8, amount numeric, colour text,
      PRIMARY KEY (chain_id, owner, item, from_block))`);
});
beforeEach(() => database.query("TRUNCATE shelf, shelf_periods"));
afterAll(() => testDatabase?.drop());

/** The rows that result from changes: the latest value of each key, and its ended periods. */
const rowsOf = (changes: readonly Change[]) => {
  const byKey = new Map<string, Change[]>();
  for (const change of [...changes].sort((left, right) => left.block - right.block)) {
    const key = `${change.owner}${change.item}`;
    byKey.set(key, [...(byKey.get(key) ?? []), change]);
  }
  const colourOf = ({ amount }: Change) => (amount === null ? null : `colour ${amount}`);
  const latestRows = [];
  const endedPeriods = [];
  for (const history of byKey.values()) {
    for (const [position, change] of history.entries()) {
      const { owner, item, amount } = change;
      const next = history[position + 1];
      const values = { owner, item, amount, colour: colourOf(change) };
      if (next === undefined) latestRows.push({ ...values, since_block: change.block });
      else endedPeriods.push({ ...values, from_block: change.block, to_block: next.block - 1 });
    }
  }
  return { shelf: latestRows, shelf_periods: endedPeriods };
};
const write = (changes: readonly Change[], chainId = chain) =>
  database.transaction((client) => writeRows(client, chainId, shelf.tables, rowsOf(changes)));
const dump = async () => ({
  shelf: await database.query("SELECT * FROM shelf ORDER BY chain_id, owner, item"),
  periods: await database.query("SELECT * FROM shelf_periods ORDER BY chain_id, owner, item, from_block"),
});
const rollBackTo = (ancestor: number, baseBlock = 0) =>
  database.transaction((client) => rollBack(client, chain, ancestor, baseBlock, [shelf], []));

/** Writes changes into empty tables and returns the rows. */
const dumpOf = async (changes: readonly Change[], others: readonly Change[] = []) => {
  await database.query("TRUNCATE shelf, shelf_periods");
  await write(changes);
  await write(others, otherChain);
  return dump();
};

const [ann, ben] = ["0x0a", "0x0b"] as const;

describe("rolling back tables of latest values", () => {
  it("restores the period that contains the ancestor, with all of its values", async () => {
    const changes = [
      { block: 3, owner: ann, item: 1, amount: "5" },
      { block: 6, owner: ann, item: 1, amount: null },
      { block: 9, owner: ann, item: 1, amount: "7" },
    ];
    for (const [ancestor, remaining] of [
      [9, 3],
      [8, 2],
      [6, 2],
      [5, 1],
      [3, 1],
      [2, 0],
    ] as const) {
      const expected = await dumpOf(changes.slice(0, remaining));
      await dumpOf(changes);
      await rollBackTo(ancestor);
      expect(await dump(), `ancestor ${ancestor}`).toEqual(expected);
    }
  });

  it("deletes a base value only together with the last row that requires it", async () => {
    const changes = [
      { block: 99, owner: ann, item: 1, amount: "40" },
      { block: 103, owner: ann, item: 1, amount: "30" },
      { block: 107, owner: ann, item: 1, amount: "20" },
    ];
    await write(changes);
    await rollBackTo(105, 99);
    expect(await dump()).toEqual(await dumpOf(changes.slice(0, 2)));
    await rollBackTo(101, 99);
    expect(await dump()).toEqual({ shelf: [], periods: [] });
  });

  it("does not change other keys or other chains", async () => {
    const ownChanges = [
      { block: 2, owner: ann, item: 1, amount: "1" },
      { block: 2, owner: ann, item: 2, amount: "1" },
      { block: 4, owner: ben, item: 1, amount: "1" },
    ];
    const otherChanges = [
      { block: 2, owner: ann, item: 1, amount: "8" },
      { block: 9, owner: ann, item: 1, amount: "9" },
    ];
    await dumpOf([...ownChanges, { block: 8, owner: ann, item: 1, amount: "2" }], otherChanges);
    await rollBackTo(5);
    expect(await dump()).toEqual(await dumpOf(ownChanges, otherChanges));
  });

  it("produces the rows of an index that never had the blocks above the ancestor (random changes and ancestors)", async () => {
    const random = createRandom("roll back");
    for (let attempt = 0; attempt < 25; attempt += 1) {
      const changes = new Map<string, Change>();
      for (let count = random.between(1, 60); count > 0; count -= 1) {
        const change = { block: random.between(1, 30), owner: random.pick([ann, ben]), item: random.between(0, 3), amount: String(count) };
        changes.set(`${change.block}${change.owner}${change.item}`, change);
      }
      const ancestor = random.between(0, 31);
      const expected = await dumpOf([...changes.values()].filter(({ block }) => block <= ancestor));
      await dumpOf([...changes.values()]);
      await rollBackTo(ancestor);
      expect(await dump(), `attempt ${attempt}`).toEqual(expected);
    }
  });
});

describe("clearing a projection", () => {
  it("does not change the rows of other chains", async () => {
    await dumpOf([{ block: 2, owner: ann, item: 1, amount: "1" }], [{ block: 3, owner: ben, item: 1, amount: "2" }]);
    await database.transaction((client) => clearProjection(client, chain, shelf));
    expect(await dump()).toEqual(await dumpOf([], [{ block: 3, owner: ben, item: 1, amount: "2" }]));
  });
});

describe("a block-bound table", () => {
  it("runs beforeDelete after the projections are rolled back and before its rows are deleted", async () => {
    await dumpOf([
      { block: 3, owner: ann, item: 1, amount: "5" },
      { block: 6, owner: ann, item: 1, amount: "7" },
    ]);
    await database.query("CREATE TABLE notes (chain_id int8, made_at int8); INSERT INTO notes VALUES (7, 3), (7, 6), (8, 6)");
    const observed: unknown[] = [];
    const notes: BlockBoundTable = {
      name: "notes",
      blockColumn: "made_at",
      beforeDelete: async (client, chainId, ancestor) => {
        const rowsToDelete = await client.query("SELECT made_at FROM notes WHERE chain_id = $1 AND made_at > $2", [chainId, ancestor]);
        observed.push(rowsToDelete, await client.query("SELECT amount FROM shelf"));
      },
    };
    await database.transaction((client) => rollBack(client, chain, 5, 0, [shelf], [notes]));
    expect(observed).toEqual([[{ made_at: 6 }], [{ amount: "5" }]]);
    expect(await database.query("SELECT * FROM notes ORDER BY chain_id")).toEqual([
      { chain_id: chain, made_at: 3 },
      { chain_id: otherChain, made_at: 6 },
    ]);
  });
});

describe("a projection whose periods cannot restore its rows", () => {
  it("is rejected with the missing columns", () => {
    const { colour: _, ...colourless } = periods.columns;
    expect(() => defineProjection(projectionOf(latest, { ...periods, columns: colourless }))).toThrow(
      "The periods table of shelf lacks colour.",
    );
    const { since_block: _since, ...undated } = latest.columns;
    expect(() => defineProjection(projectionOf({ ...latest, columns: undated }, periods))).toThrow(
      "Table shelf has periods but no column since_block.",
    );
    expect(() => defineProjection(projectionOf(latest))).toThrow("Table shelf has no periods table.");
    expect(() => defineProjection(projectionOf(latest, { ...periods, kind: "append" }))).toThrow("Table shelf has no periods table.");
  });
});
