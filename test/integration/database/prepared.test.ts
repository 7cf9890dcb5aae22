import { beforeAll, describe, expect, it } from "vitest";
import { compose } from "../../../runtime/database/compose.ts";
import { createDatabase, type Database } from "../../../runtime/database/database.ts";
import { plannedOnce, sql } from "../../../runtime/database/sql.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase({ migrated: false });
  await testDatabase.database.query("CREATE TABLE blocks (chain_id int8, number int8); INSERT INTO blocks VALUES (1, 7), (1, 8), (2, 9)");
  return testDatabase.drop;
});

/** Opens a pool of one connection, so that all statements share its prepared statements. */
const open = (): Database =>
  createDatabase({ url: testDatabase.url, poolSize: 1, statementTimeoutMilliseconds: 0, applicationName: "ashlar-pool-test" });

const blocksOf = compose<{ number: number }, { chain: number; above?: number | undefined }>(({ from, value, has }) => {
  const rows = from("blocks").select("number").where("chain_id", value("chain")).orderBy("number");
  return has("above") ? rows.where("number", ">", value("above")) : rows;
});
const highest = sql`SELECT max(number) AS number FROM blocks WHERE chain_id = ${1}`;

const preparedOf = (database: Database) =>
  database.query<{ statement: string; generic_plans: number; custom_plans: number }>(
    "SELECT statement, generic_plans, custom_plans FROM pg_prepared_statements ORDER BY statement",
  );

describe("a fixed statement", () => {
  const numbers = "SELECT number FROM blocks WHERE chain_id = $1 ORDER BY number";

  it("is prepared outside of transactions if it has parameters, and runs unnamed after a pooler has dropped it", async () => {
    const database = open();
    for (let count = 0; count < 3; count += 1) expect(await database.query(numbers, [1])).toEqual([{ number: 7 }, { number: 8 }]);
    await database.query("SELECT 1 AS one; SELECT 2 AS two");
    expect((await preparedOf(database)).map(({ statement }) => statement)).toEqual([numbers]);
    await database.query("DEALLOCATE ALL");
    expect(await database.query(numbers, [2])).toEqual([{ number: 9 }]);
    await database.close();
  });

  it("is not prepared in a transaction, because a dropped prepared statement would abort it", async () => {
    const database = open();
    expect(await database.transaction((client) => client.query(numbers, [2]))).toEqual([{ number: 9 }]);
    expect(await preparedOf(database)).toEqual([]);
    await database.close();
  });
});

describe("a statement that is planned once", () => {
  it("has one plan for all values, and runs on separate connections", async () => {
    const database = open();
    const numbers = plannedOnce(sql`SELECT number FROM blocks WHERE chain_id = $1 ORDER BY number`);
    expect(await database.query(numbers, [1])).toEqual([{ number: 7 }, { number: 8 }]);
    expect(await database.query(numbers, [2])).toEqual([{ number: 9 }]);
    const plans = await database.query(
      plannedOnce(sql`SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement LIKE 'SELECT number%'`),
    );
    expect(plans).toEqual([{ generic_plans: 2, custom_plans: 0 }]);
    expect(await preparedOf(database)).toEqual([]);
    await database.close();
  });
});

describe("a composed statement", () => {
  it("returns values of the same types as any other statement, including in a transaction", async () => {
    const database = open();
    expect(await database.run(blocksOf({ chain: 1 }))).toEqual([{ number: 7 }, { number: 8 }]);
    expect(await database.query(highest)).toEqual([{ number: 8 }]);
    expect(await database.transaction((client) => client.run(blocksOf({ chain: 1, above: 7 })))).toEqual([{ number: 8 }]);
    await database.close();
  });

  it("is prepared once for each shape and connection, and planned for each call's values", async () => {
    const database = open();
    for (let count = 0; count < 12; count += 1) {
      await database.run(blocksOf({ chain: count }));
      await database.run(blocksOf({ chain: count, above: count }));
    }
    expect((await preparedOf(database)).map(({ generic_plans, custom_plans }) => [generic_plans, custom_plans])).toEqual([
      [0, 12],
      [0, 12],
    ]);
    await database.close();
  });

  it("runs unnamed after a pooler has dropped the prepared statement", async () => {
    const database = open();
    await database.run(blocksOf({ chain: 1 }));
    await database.query("DEALLOCATE ALL");
    expect(await database.run(blocksOf({ chain: 1 }))).toEqual([{ number: 7 }, { number: 8 }]);
    expect(await preparedOf(database)).toEqual([]);
    expect(await database.run(blocksOf({ chain: 2 }))).toEqual([{ number: 9 }]);
    await database.close();
  });

  it("works after a migration changes the columns that it returns", async () => {
    const database = open();
    await database.query("CREATE TABLE widened (id int8); INSERT INTO widened VALUES (1)");
    const all = sql`SELECT * FROM widened`;
    expect(await database.query(all)).toEqual([{ id: 1 }]);
    await testDatabase.database.query("ALTER TABLE widened ADD COLUMN name text");
    expect(await database.query(all)).toEqual([{ id: 1, name: null }]);
    await database.close();
  });

  it("fails in the transaction after a pooler has dropped it, and succeeds in the next one", async () => {
    const database = open();
    await database.query(highest);
    await database.query("DEALLOCATE ALL");
    await expect(database.transaction((client) => client.query(highest))).rejects.toMatchObject({ code: "26000" });
    expect(await database.transaction((client) => client.query(highest))).toEqual([{ number: 8 }]);
    await database.close();
  });

  it("passes on other errors unchanged", async () => {
    const database = open();
    await expect(database.query(sql`SELECT no_such_column FROM blocks`)).rejects.toMatchObject({ code: "42703" });
    await database.close();
  });
});
