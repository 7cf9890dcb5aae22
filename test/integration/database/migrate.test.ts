import { beforeEach, describe, expect, it } from "vitest";
import { createDatabase } from "../../../runtime/database/database.ts";
import { migrate, revert } from "../../../runtime/database/migrate.ts";
import { MigrationError } from "../../../runtime/database/migration.ts";
import { pendingMigrations, schemaProblem } from "../../../runtime/database/schema-state.ts";
import { migrations } from "../../../runtime/migrations.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { relationsOf, step } from "./migration-support.ts";

const names = migrations.map(({ name }) => name);
let testDatabase: TestDatabase;
beforeEach(async () => {
  testDatabase = await createTestDatabase({ migrated: false });
  return testDatabase.drop;
});

describe("this program's migrations", () => {
  it("are applied, reverted to an empty schema, and applied again to the same schema", async () => {
    expect(await pendingMigrations(testDatabase.database, migrations)).toEqual(names);
    expect(await migrate(testDatabase.database, migrations)).toEqual(names);
    const applied = await relationsOf(testDatabase);
    // One table from each of the first four migrations.
    expect(applied).toEqual(expect.arrayContaining(["blocks", "transfers", "projection_checkpoints", "api_keys"]));
    expect(await pendingMigrations(testDatabase.database, migrations)).toEqual([]);
    expect(await migrate(testDatabase.database, migrations)).toEqual([]);
    expect(await revert(testDatabase.database, migrations)).toEqual([...names].reverse());
    expect(await relationsOf(testDatabase)).toEqual([]);
    expect(await migrate(testDatabase.database, migrations)).toEqual(names);
    expect(await relationsOf(testDatabase)).toEqual(applied);
  });

  it("upgrade an index with only the first six migrations, and can be reverted even if values exceed the old column types", async () => {
    await migrate(testDatabase.database, migrations.slice(0, 6));
    await testDatabase.database.query(
      `INSERT INTO chains (chain_id, name, genesis_hash, indexed_from, missing)
       VALUES (1, 'traced', '\\x00', 0, '{archive-state}'), (2, 'without', '\\x00', 7, '{native-balances}')`,
    );
    await testDatabase.database.query(
      `INSERT INTO transactions (chain_id, block_number, transaction_index, hash, from_address, value, nonce, gas_limit, gas_used, gas_price, type, input)
       VALUES (1, 5, 0, '\\xaa', '\\xbb', 1, 0, 9007199254740993, 21000, 7, 2, '\\x')`,
    );
    await testDatabase.database.query(
      "INSERT INTO balances (chain_id, owner, token, standard, since_block, balance) VALUES (1, '\\xbb', '\\xcc', 1, 5, NULL)",
    );
    await migrate(testDatabase.database, migrations);
    // An index's native accounting is preserved; an index without native balances remains without them.
    expect(await testDatabase.database.query("SELECT chain_id, native_accounting FROM chains ORDER BY 1")).toEqual([
      { chain_id: 1, native_accounting: "traces" },
      { chain_id: 2, native_accounting: "none" },
    ]);
    expect(await testDatabase.database.query("SELECT gas_limit FROM transactions")).toEqual([{ gas_limit: "9007199254740993" }]);
    // An old unknown balance is never read again.
    expect(await testDatabase.database.query("SELECT balance, net_change FROM balances")).toEqual([{ balance: null, net_change: null }]);
    await testDatabase.database.query("UPDATE transactions SET gas_limit = 2::numeric ^ 255");
    await revert(testDatabase.database, migrations);
    expect(await relationsOf(testDatabase)).toEqual([]);
  });

  it("are applied once by four concurrent processes", async () => {
    const options = { url: testDatabase.url, poolSize: 1, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test" };
    const databases = Array.from({ length: 4 }, () => createDatabase(options));
    const outcomes = await Promise.all(databases.map((database) => migrate(database, migrations)));
    await Promise.all(databases.map((database) => database.close()));
    expect(outcomes.filter((applied) => applied.length > 0)).toEqual([names]);
  });
});

describe("a migration list", () => {
  const first = step("0001-first", "CREATE TABLE first (n int4)");
  const second = step("0002-second", "CREATE TABLE second (n int4)");
  const failing = step("0002-second", "CREATE TABLE second (n int4); SELECT no_such_column");

  it("applies only pending migrations", async () => {
    expect(await migrate(testDatabase.database, [first])).toEqual(["0001-first"]);
    expect(await pendingMigrations(testDatabase.database, [first, second])).toEqual(["0002-second"]);
    expect(await migrate(testDatabase.database, [first, second])).toEqual(["0002-second"]);
    expect(await relationsOf(testDatabase)).toEqual(["first", "second"]);
  });

  it("is applied completely or not at all, and can be retried", async () => {
    await expect(migrate(testDatabase.database, [first, failing])).rejects.toMatchObject({ code: "42703" }); // undefined_column
    expect(await relationsOf(testDatabase)).toEqual([]);
    expect(await migrate(testDatabase.database, [first, second])).toEqual(["0001-first", "0002-second"]);
  });

  it("is rejected with the name of an applied migration that it lacks", async () => {
    await migrate(testDatabase.database, [first, second]);
    for (const work of [migrate, pendingMigrations]) {
      await expect(work(testDatabase.database, [first])).rejects.toThrow(MigrationError);
      await expect(work(testDatabase.database, [first])).rejects.toThrow(
        /^The database schema is newer than this server \(unknown migration: 0002-second\): upgrade this server[^.]+\.$/,
      );
    }
    await expect(revert(testDatabase.database, [first])).rejects.toThrow(MigrationError);
    await expect(revert(testDatabase.database, [first])).rejects.toThrow(
      /contains migration 0002-second, which this version cannot revert: [^.]+\.$/,
    );
    expect(await schemaProblem(testDatabase.database, [first])).toMatch(
      /^The database schema is newer .*0002-second.*: upgrade this server/,
    );
  });

  it.each([[[second, first]], [[first, first]]])("is rejected if it is not in ascending order", async (list) => {
    await expect(migrate(testDatabase.database, list)).rejects.toThrow(MigrationError);
  });
});

describe("an older server version", () => {
  const first = step("0001-first", "CREATE TABLE first (n int4)");
  const expanding = step("0002-expanding", "CREATE TABLE second (n int4); ALTER TABLE first ADD COLUMN m int4 NOT NULL DEFAULT 0", true);
  const changing = step("0003-changing", "ALTER TABLE first DROP COLUMN n");

  it("works with a newer schema that only expands", async () => {
    await migrate(testDatabase.database, [first]);
    await migrate(testDatabase.database, [first, expanding]);
    expect(await schemaProblem(testDatabase.database, [first])).toBeNull();
    expect(await pendingMigrations(testDatabase.database, [first])).toEqual([]);
    expect(await migrate(testDatabase.database, [first])).toEqual([]);
    await testDatabase.database.query("INSERT INTO first (n) VALUES (1)");
  });

  it("refuses to revert unknown migrations", async () => {
    await migrate(testDatabase.database, [first, expanding]);
    await expect(revert(testDatabase.database, [first])).rejects.toThrow(MigrationError);
    expect(await relationsOf(testDatabase)).toEqual(["first", "second"]);
  });

  it("is rejected after a migration that does more than expand", async () => {
    await migrate(testDatabase.database, [first, expanding, changing]);
    expect(await schemaProblem(testDatabase.database, [first])).toBe(
      "The database schema is newer than this server (unknown migration: 0003-changing): upgrade this server, or use another database.",
    );
    expect(await schemaProblem(testDatabase.database, [first, expanding, changing])).toBeNull();
  });

  it("describes an older schema by its pending migrations", async () => {
    await migrate(testDatabase.database, [first]);
    expect(await schemaProblem(testDatabase.database, [first, expanding])).toBe(
      "The database schema is older than this server (pending migrations: 0002-expanding): run ashlar migrate.",
    );
  });

  it("refuses a schema that lacks migrations of its version and has unknown ones", async () => {
    await migrate(testDatabase.database, [first, step("0003-other", "CREATE TABLE other (n int4)", true)]);
    await expect(migrate(testDatabase.database, [first, expanding])).rejects.toThrow(/unknown migration: 0003-other/);
  });

  it("refuses unknown migrations if the migrations table has no only_expands column, as in old versions", async () => {
    await migrate(testDatabase.database, [first, expanding]);
    await testDatabase.database.query("ALTER TABLE ashlar_migrations DROP COLUMN only_expands");
    expect(await schemaProblem(testDatabase.database, [first])).toMatch(/unknown migration: 0002-expanding/);
    expect(await schemaProblem(testDatabase.database, [first, expanding])).toBeNull();
  });
});
