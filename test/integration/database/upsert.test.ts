import { beforeAll, expect, test } from "vitest";
import { type UpsertTarget, upsert } from "../../../runtime/database/upsert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const balances: UpsertTarget = {
  table: "balances",
  key: ["chain_id", "owner", "token", "standard"],
  columns: ["chain_id", "owner", "token", "standard", "since_block", "balance"],
  types: ["int8", "bytea", "bytea", "int2", "int8", "numeric"],
};
const [alice, bob, token] = ["0x0a", "0x0b", "0x70"];
const read = "SELECT owner, since_block, balance FROM balances ORDER BY owner";
let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  return testDatabase.drop;
});

test("upsert inserts new keys and updates existing ones", async () => {
  const { database } = testDatabase;
  const first = [
    [1, bob, token, 1, 10, "5"],
    [1, alice, token, 1, 10, "7"],
  ];
  expect(await database.transaction((client) => upsert(client, balances, first))).toBe(2);
  expect(await database.transaction((client) => upsert(client, balances, [[1, bob, token, 1, 11, null]]))).toBe(1);
  expect(await database.query(read)).toEqual([
    { owner: alice, since_block: 10, balance: "7" },
    { owner: bob, since_block: 11, balance: null },
  ]);
});

test("upsert can run twice in one transaction and without rows, and leaves no table behind", async () => {
  const { database } = testDatabase;
  const counts = await database.transaction(async (client) => [
    await upsert(client, balances, [[1, alice, token, 1, 20, "1"]]),
    await upsert(client, balances, []),
    await upsert(client, balances, [[1, alice, token, 1, 21, "2"]]),
  ]);
  expect(counts).toEqual([1, 0, 1]);
  expect((await database.query(read))[0]).toEqual({ owner: alice, since_block: 21, balance: "2" });
  expect(await database.query("SELECT relname FROM pg_class WHERE relname LIKE 'upsert%'")).toEqual([]);
});

test("upsert does not change rows that have only key columns", async () => {
  await testDatabase.database.query("CREATE TABLE key_only (owner bytea PRIMARY KEY)");
  const target: UpsertTarget = { table: "key_only", key: ["owner"], columns: ["owner"], types: ["bytea"] };
  for (const rows of [[[alice]], [[alice], [bob]]]) await testDatabase.database.transaction((client) => upsert(client, target, rows));
  expect(await testDatabase.database.query("SELECT owner FROM key_only ORDER BY owner")).toEqual([{ owner: alice }, { owner: bob }]);
});

test("upsert refuses a null that the table forbids, and rolls back with the transaction", async () => {
  const violation = testDatabase.database.transaction((client) => upsert(client, balances, [[1, null, token, 1, 30, "9"]]));
  await expect(violation).rejects.toMatchObject({ code: "23502" }); // not_null_violation
  expect(await testDatabase.database.query("SELECT 1 FROM balances WHERE since_block = 30")).toEqual([]);
});

test("upsert does not deadlock with a writer of the same keys in the opposite order", async () => {
  const owners = Array.from({ length: 2000 }, (_, index) => `0x${index.toString(16).padStart(40, "0")}`);
  const rows = (block: number) => owners.map((owner) => [2, owner, token, 1, block, String(block)]);
  const write = (block: number, order: "up" | "down") =>
    testDatabase.database.transaction((client) => upsert(client, balances, order === "up" ? rows(block) : rows(block).reverse()));
  await Promise.all([write(1, "up"), write(2, "down"), write(3, "up"), write(4, "down")]);
  // Each transaction writes all rows in key order, so the table has only rows from the last one.
  const blocks = await testDatabase.database.query("SELECT DISTINCT since_block FROM balances WHERE chain_id = 2");
  expect(blocks).toHaveLength(1);
});
