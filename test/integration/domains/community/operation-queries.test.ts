import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../../../runtime/database/database.ts";
import { type Statement, sql } from "../../../../runtime/database/sql.ts";
import { createOperationQueries } from "../../../../runtime/domains/community/queries/operation-queries.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";

let testDatabase: TestDatabase;
/** The number of rows that each statement returned. */
const received: number[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
beforeEach(() => {
  received.length = 0;
});
afterAll(() => testDatabase?.drop());

const reader: Pick<Database, "run"> = {
  run: async <Row extends object>(statement: Statement<Row>) => {
    const rows = await testDatabase.database.run<Row>(statement);
    received.push(rows.length);
    return rows;
  },
};

const parameters = { chain: 1, wallet: null, pool: null, as_of_block: 5, limit: 3, offset: 0 };

/** Runs a statement that returns each row of a page `factor` times. */
const run = (factor: number, limit: number) => {
  const text = `WITH page AS (SELECT n FROM generate_series(1, 100) n ORDER BY n LIMIT $1 OFFSET $2)
    SELECT p.n FROM page p, generate_series(1, ${factor}) ORDER BY p.n DESC -- the end`;
  const query = { file: "pages.sql", text, parameters: ["limit", "offset"] as const, columns: ["n"], views: [] };
  return createOperationQueries(reader).rowsOf(query, { ...parameters, limit });
};

describe("an operation's rows", () => {
  it("are its statement's rows, in the statement's order, from one query", async () => {
    expect(await run(1, 3)).toEqual([{ n: 3 }, { n: 2 }, { n: 1 }]);
    expect(received).toEqual([3]);
  });

  it("are refused if they exceed the limit, after the database sent one row more than the limit", async () => {
    await expect(run(100_000, 3)).rejects.toThrow("pages.sql returned more rows than its limit of 3.");
    expect(received).toEqual([4]);
  });

  it.each([
    { planned: { isPlannedOnce: true as const }, custom: 0, generic: 3 },
    { planned: {}, custom: 3, generic: 0 },
  ])("are read with $generic generic and $custom custom plans in three requests if the declaration has $planned", async (expected) => {
    const text = `SELECT n, ${expected.generic} AS generic FROM (VALUES (1), (2)) v (n) WHERE n > $1`;
    const query = { file: "planned.sql", text, parameters: ["offset"] as const, columns: ["n"], views: [], ...expected.planned };
    const { rowsOf } = createOperationQueries(testDatabase.database);
    for (const offset of [0, 1, 2]) expect(await rowsOf(query, { ...parameters, offset })).toHaveLength(2 - offset);
    const plans = sql`SELECT custom_plans::int AS custom, generic_plans::int AS generic FROM pg_prepared_statements
      WHERE position($1 IN statement) > 0`;
    expect(await testDatabase.database.query({ ...plans, ...expected.planned }, [text])).toEqual([
      { custom: expected.custom, generic: expected.generic },
    ]);
  });

  it("are not available without a reader-role connection", async () => {
    await expect(
      createOperationQueries(undefined).rowsOf({ file: "", text: "", parameters: [], columns: [], views: [] }, parameters),
    ).rejects.toMatchObject({ status: 503 });
  });
});
