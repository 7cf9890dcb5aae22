import { beforeAll, describe, expect, it, test } from "vitest";
import type { Database, Queryable } from "../../../../runtime/database/database.ts";
import { addBlocks, addOrdinals, addTokens } from "../../../support/database/long-lists.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { listsByBlock, openTokens, openTransactions, type ReadRows } from "./lists.ts";

const blockCount = 12_000;
const rowCount = 5 * blockCount;
const pageSize = 100;

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  await addBlocks(testDatabase.database, 1, blockCount);
  await addOrdinals(testDatabase.database, 1, blockCount);
  await addTokens(testDatabase.database, 1, rowCount, 1);
  await testDatabase.database.query("VACUUM ANALYZE", []);
  return testDatabase.drop;
}, 120_000);

/** A plan node as `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)` describes it. */
interface PlanNode {
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly Plans?: readonly PlanNode[];
}

/** The cost of statements: the buffers that they read, and the rows that their plan nodes returned. */
interface Cost {
  readonly buffers: number;
  readonly rows: number;
}

const rowsOf = (node: PlanNode): number =>
  node["Actual Rows"] * node["Actual Loops"] + (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), 0);

/** Runs statements on a database and sums their costs, except the costs of statements that count all rows. */
function createCostCounter(database: Database): Queryable & { readonly cost: () => Cost } {
  let cost: Cost = { buffers: 0, rows: 0 };
  const count = async (text: string, values: readonly unknown[]): Promise<void> => {
    const [row] = await database.query<{ readonly "QUERY PLAN": readonly { readonly Plan: PlanNode }[] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      values,
    );
    const plan = row?.["QUERY PLAN"][0]?.Plan;
    if (plan === undefined) throw new Error(`No plan of ${text}`);
    cost = { buffers: cost.buffers + plan["Shared Hit Blocks"] + plan["Shared Read Blocks"], rows: cost.rows + rowsOf(plan) };
  };
  return {
    query: async (statement, parameters = []) => {
      const text = statement.toString();
      if (!text.includes("count(*) AS count")) await count(text, parameters);
      return database.query(statement, parameters);
    },
    run: async (statement) => {
      await count(statement.text, statement.values);
      return database.run(statement);
    },
    cost: () => cost,
  };
}

/** Opens a list, and returns a function that reads a page and returns its cost. */
function openCostReader(open: (database: Queryable) => ReadRows): (offset: number) => Promise<Cost> {
  const counted = createCostCounter(testDatabase.database);
  const read = open(counted);
  return async (offset) => {
    const before = counted.cost();
    expect(await read(pageSize, offset)).toHaveLength(pageSize);
    const after = counted.cost();
    return { buffers: after.buffers - before.buffers, rows: after.rows - before.rows };
  };
}

const lists = [
  ...listsByBlock.map(({ name, open }) => ({ name, open: (database: Queryable) => open(database, blockCount) })),
  { name: "the ids of a collection", open: (database: Queryable) => openTokens(database, blockCount) },
];

describe.each(lists)("$name", ({ open }) => {
  it("cost about as much for a page at the end as for the tenth page, after a page at the end was read", async () => {
    const costOf = openCostReader(open);
    const early = await costOf(900);
    const first = await costOf(rowCount - pageSize);
    // The first page at the end reads all rows before it.
    expect(first.rows).toBeGreaterThan(3 * early.rows);
    // Reading from one of these offsets skips fewer than 1,000 rows. Plans differ in how they read the page's rows, and one more node checks the branch.
    for (const offset of [rowCount - 2 * pageSize, rowCount / 2 + 900, 2_000]) {
      const { buffers, rows: read } = await costOf(offset);
      expect(read).toBeLessThan(3 * early.rows);
      expect(buffers).toBeLessThan(3 * early.buffers);
    }
  }, 120_000);
});

test("a wallet's transactions with transfers of any token cost the same on every page", async () => {
  const costOf = openCostReader((database) => openTransactions(database, blockCount));
  const [early, ...others] = [await costOf(0), await costOf(900), await costOf(rowCount / 2), await costOf(rowCount - pageSize)];
  for (const { buffers, rows: read } of others) {
    expect(read).toBe(early?.rows);
    expect(buffers).toBeLessThan(1.5 * (early?.buffers ?? 0));
  }
});
