import { beforeEach, describe, expect, it } from "vitest";
import { createDatabase } from "../../../runtime/database/database.ts";
import { type Migration, MigrationError, migrate, pendingMigrations, revert } from "../../../runtime/database/migrate.ts";
import { migrations } from "../../../runtime/migrations.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const names = migrations.map(({ name }) => name);
const step = (name: string, statement: string): Migration => ({
  name,
  up: async (knex) => void (await knex.raw(statement)),
  down: async () => undefined,
});
let test: TestDatabase;
beforeEach(async () => {
  test = await createTestDatabase({ migrated: false });
  return test.drop;
});

/** Names of all tables and indexes but the migrations' own. */
async function relations(): Promise<string[]> {
  const rows = await test.database.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname NOT LIKE 'ashlar_migrations%' ORDER BY 1",
  );
  return rows.map(({ name }) => name);
}

describe("the migrations of this program", () => {
  it("go up, down to nothing, and up to the same again", async () => {
    expect(await pendingMigrations(test.database, migrations)).toEqual(names);
    expect(await migrate(test.database, migrations)).toEqual(names);
    const made = await relations();
    // One table of each of the first four.
    expect(made).toEqual(expect.arrayContaining(["blocks", "transfers", "projection_checkpoints", "api_keys"]));
    expect(await pendingMigrations(test.database, migrations)).toEqual([]);
    expect(await migrate(test.database, migrations)).toEqual([]);
    expect(await revert(test.database, migrations)).toEqual([...names].reverse());
    expect(await relations()).toEqual([]);
    expect(await migrate(test.database, migrations)).toEqual(names);
    expect(await relations()).toEqual(made);
  });

  it("carry an index that was made by the first six of them, and go down with what only the later ones can hold", async () => {
    await migrate(test.database, migrations.slice(0, 6));
    await test.database.query(
      `INSERT INTO chains (chain_id, name, genesis_hash, indexed_from, missing)
       VALUES (1, 'traced', '\\x00', 0, '{archive-state}'), (2, 'without', '\\x00', 7, '{native-balances}')`,
    );
    await test.database.query(
      `INSERT INTO transactions (chain_id, block_number, transaction_index, hash, from_address, value, nonce, gas_limit, gas_used, gas_price, type, input)
       VALUES (1, 5, 0, '\\xaa', '\\xbb', 1, 0, 9007199254740993, 21000, 7, 2, '\\x')`,
    );
    await test.database.query(
      "INSERT INTO balances (chain_id, owner, token, standard, since_block, balance) VALUES (1, '\\xbb', '\\xcc', 1, 5, NULL)",
    );
    await migrate(test.database, migrations);
    // What an index has followed stays followed; one that had no native balances never gets any.
    expect(await test.database.query("SELECT chain_id, native_accounting FROM chains ORDER BY 1")).toEqual([
      { chain_id: 1, native_accounting: "traces" },
      { chain_id: 2, native_accounting: "none" },
    ]);
    expect(await test.database.query("SELECT gas_limit FROM transactions")).toEqual([{ gas_limit: "9007199254740993" }]);
    // An old unknown balance waits for nothing that would make it a number.
    expect(await test.database.query("SELECT balance, net_change FROM balances")).toEqual([{ balance: null, net_change: null }]);
    await test.database.query("UPDATE transactions SET gas_limit = 2::numeric ^ 255");
    await revert(test.database, migrations);
    expect(await relations()).toEqual([]);
  });

  it("are run once by four processes at once", async () => {
    const options = { url: test.url, poolSize: 1, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test" };
    const databases = Array.from({ length: 4 }, () => createDatabase(options));
    const outcomes = await Promise.all(databases.map((database) => migrate(database, migrations)));
    await Promise.all(databases.map((database) => database.close()));
    expect(outcomes.filter((landed) => landed.length > 0)).toEqual([names]);
  });
});

describe("a list of migrations", () => {
  const first = step("0001-first", "CREATE TABLE first (n int4)");
  const second = step("0002-second", "CREATE TABLE second (n int4)");
  const wrong = step("0002-second", "CREATE TABLE second (n int4); SELECT no_such_column");

  it("lands only what has not landed", async () => {
    expect(await migrate(test.database, [first])).toEqual(["0001-first"]);
    expect(await pendingMigrations(test.database, [first, second])).toEqual(["0002-second"]);
    expect(await migrate(test.database, [first, second])).toEqual(["0002-second"]);
    expect(await relations()).toEqual(["first", "second"]);
  });

  it("lands whole or not at all, and can be tried again", async () => {
    await expect(migrate(test.database, [first, wrong])).rejects.toMatchObject({ code: "42703" }); // undefined_column
    expect(await relations()).toEqual([]);
    expect(await migrate(test.database, [first, second])).toEqual(["0001-first", "0002-second"]);
  });

  it("that lacks a landed migration is refused in a sentence that names it", async () => {
    await migrate(test.database, [first, second]);
    for (const work of [migrate, revert, pendingMigrations]) {
      await expect(work(test.database, [first])).rejects.toThrow(MigrationError);
      await expect(work(test.database, [first])).rejects.toThrow(
        /^The database holds migration 0002-second, which this version does not know: [^.]+\.$/,
      );
    }
  });

  it.each([[[second, first]], [[first, first]]])("that is out of order is refused", async (list) => {
    await expect(migrate(test.database, list)).rejects.toThrow(MigrationError);
  });
});
