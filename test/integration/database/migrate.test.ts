import { beforeEach, describe, expect, it } from "vitest";
import { createDatabase } from "../../../runtime/database/database.ts";
import { type Migration, MigrationError, migrate, pendingMigrations, revert, schemaProblem } from "../../../runtime/database/migrate.ts";
import { sleep } from "../../../runtime/lib/async.ts";
import { migrations } from "../../../runtime/migrations.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { deadline } from "../../support/deadline.ts";
import { until } from "../../support/until.ts";

const names = migrations.map(({ name }) => name);
const step = (name: string, statement: string, onlyExpands = false): Migration => ({
  name,
  onlyExpands,
  up: async (knex) => void (await knex.raw(statement)),
  down: async () => undefined,
});
let test: TestDatabase;
beforeEach(async () => {
  test = await createTestDatabase({ migrated: false });
  return test.drop;
});

/** Names of all tables and indexes except those of the migrator. */
async function relations(): Promise<string[]> {
  const rows = await test.database.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname NOT LIKE 'ashlar_migrations%' ORDER BY 1",
  );
  return rows.map(({ name }) => name);
}

describe("the migrations of this program", () => {
  it("are applied, reverted to an empty schema, and applied again to the same schema", async () => {
    expect(await pendingMigrations(test.database, migrations)).toEqual(names);
    expect(await migrate(test.database, migrations)).toEqual(names);
    const applied = await relations();
    // One table of each of the first four migrations.
    expect(applied).toEqual(expect.arrayContaining(["blocks", "transfers", "projection_checkpoints", "api_keys"]));
    expect(await pendingMigrations(test.database, migrations)).toEqual([]);
    expect(await migrate(test.database, migrations)).toEqual([]);
    expect(await revert(test.database, migrations)).toEqual([...names].reverse());
    expect(await relations()).toEqual([]);
    expect(await migrate(test.database, migrations)).toEqual(names);
    expect(await relations()).toEqual(applied);
  });

  it("upgrade an index of the first six migrations, and can be reverted with values that only later ones can hold", async () => {
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
    // The native accounting of an index is preserved; an index without native balances never gets any.
    expect(await test.database.query("SELECT chain_id, native_accounting FROM chains ORDER BY 1")).toEqual([
      { chain_id: 1, native_accounting: "traces" },
      { chain_id: 2, native_accounting: "none" },
    ]);
    expect(await test.database.query("SELECT gas_limit FROM transactions")).toEqual([{ gas_limit: "9007199254740993" }]);
    // An old unknown balance is never read again.
    expect(await test.database.query("SELECT balance, net_change FROM balances")).toEqual([{ balance: null, net_change: null }]);
    await test.database.query("UPDATE transactions SET gas_limit = 2::numeric ^ 255");
    await revert(test.database, migrations);
    expect(await relations()).toEqual([]);
  });

  it("are applied once by four concurrent processes", async () => {
    const options = { url: test.url, poolSize: 1, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test" };
    const databases = Array.from({ length: 4 }, () => createDatabase(options));
    const outcomes = await Promise.all(databases.map((database) => migrate(database, migrations)));
    await Promise.all(databases.map((database) => database.close()));
    expect(outcomes.filter((applied) => applied.length > 0)).toEqual([names]);
  });
});

describe("a list of migrations", () => {
  const first = step("0001-first", "CREATE TABLE first (n int4)");
  const second = step("0002-second", "CREATE TABLE second (n int4)");
  const failing = step("0002-second", "CREATE TABLE second (n int4); SELECT no_such_column");

  it("applies only pending migrations", async () => {
    expect(await migrate(test.database, [first])).toEqual(["0001-first"]);
    expect(await pendingMigrations(test.database, [first, second])).toEqual(["0002-second"]);
    expect(await migrate(test.database, [first, second])).toEqual(["0002-second"]);
    expect(await relations()).toEqual(["first", "second"]);
  });

  it("is applied as a whole or not at all, and can be retried", async () => {
    await expect(migrate(test.database, [first, failing])).rejects.toMatchObject({ code: "42703" }); // undefined_column
    expect(await relations()).toEqual([]);
    expect(await migrate(test.database, [first, second])).toEqual(["0001-first", "0002-second"]);
  });

  it("is rejected with the name of an applied migration that it lacks", async () => {
    await migrate(test.database, [first, second]);
    for (const work of [migrate, pendingMigrations]) {
      await expect(work(test.database, [first])).rejects.toThrow(MigrationError);
      await expect(work(test.database, [first])).rejects.toThrow(
        /^The database schema is newer than this server \(unknown migration: 0002-second\): upgrade this server[^.]+\.$/,
      );
    }
    await expect(revert(test.database, [first])).rejects.toThrow(MigrationError);
    await expect(revert(test.database, [first])).rejects.toThrow(
      /contains migration 0002-second, which this version cannot revert: [^.]+\.$/,
    );
    expect(await schemaProblem(test.database, [first])).toMatch(/^The database schema is newer .*0002-second.*: upgrade this server/);
  });

  it.each([[[second, first]], [[first, first]]])("is rejected if it is not in ascending order", async (list) => {
    await expect(migrate(test.database, list)).rejects.toThrow(MigrationError);
  });
});

describe("a migration of a table that is in use", () => {
  const first = step("0001-first", "CREATE TABLE first (n int4)");
  const second = step("0002-second", "ALTER TABLE first ADD COLUMN m int4");

  it("lets other statements pass while it waits for its lock, and is applied afterwards", async () => {
    await migrate(test.database, [first]);
    let migrating: Promise<readonly string[]> = Promise.resolve([]);
    await test.database.transaction(async (client) => {
      // Until the end of the transaction, this lock conflicts with that of ALTER TABLE.
      await client.query("SELECT FROM first");
      migrating = migrate(test.database, [first, second]);
      await until("the migration to wait for the lock", async () => {
        const [row] = await test.database.query<{ waits: boolean }>(
          "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = 'first'::regclass) AS waits",
        );
        return row?.waits === true;
      });
      // Waits behind the migration until that gives up.
      const read = test.database.query("SELECT FROM first").then(() => "read");
      expect(await Promise.race([read, sleep(deadline(20_000)).then(() => "blocked")])).toBe("read");
      expect(await pendingMigrations(test.database, [first, second])).toEqual(["0002-second"]);
    });
    expect(await migrating).toEqual(["0002-second"]);
  });
});

describe("a migration with concurrent indexes", () => {
  const first = step("0001-first", "CREATE TABLE first (n int4); INSERT INTO first SELECT generate_series(1, 1000)");
  const second = step("0002-second", "CREATE TABLE second (n int4)");
  const indexed: Migration = {
    ...step("0003-indexed", "CREATE TABLE third (n int4)", true),
    concurrentIndexes: [
      { name: "first_n", definition: "ON first (n)", isUnique: true },
      { name: "second_n", definition: "ON second (n) WHERE n > 0" },
    ],
  };
  const fourth = step("0004-fourth", "CREATE TABLE fourth (n int4)");
  const all = [first, second, indexed, fourth];
  const validIndexes = async (): Promise<string[]> => {
    const rows = await test.database.query<{ name: string }>(
      "SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indisvalid AND indexrelid::regclass::text ~ '_n$' ORDER BY 1",
    );
    return rows.map(({ name }) => name);
  };

  it("builds them before its statements", async () => {
    expect(await migrate(test.database, all)).toEqual(["0001-first", "0002-second", "0003-indexed", "0004-fourth"]);
    expect(await validIndexes()).toEqual(["first_n", "second_n"]);
    const [index] = await test.database.query("SELECT pg_get_indexdef('first_n'::regclass) AS definition");
    expect(index).toEqual({ definition: "CREATE UNIQUE INDEX first_n ON public.first USING btree (n)" });
    expect(await relations()).toEqual(["first", "first_n", "fourth", "second", "second_n", "third"]);
    expect(await migrate(test.database, all)).toEqual([]);
  });

  it("lets writes of the table pass while it waits for older transactions", async () => {
    await migrate(test.database, [first, second]);
    const lines: string[] = [];
    const migrating = await test.database.transaction(async (client) => {
      await client.query("INSERT INTO first (n) VALUES (0)");
      const started = migrate(test.database, all, { onProgress: (line) => lines.push(line), progressMilliseconds: 20 });
      started.catch(() => undefined);
      await until("a progress line of the waiting build", () => lines.some((line) => line.includes("waiting for writers")));
      // A CREATE INDEX within a transaction would make this statement wait.
      await test.database.query("INSERT INTO first (n) VALUES (1001)");
      return { started };
    });
    expect(await migrating.started).toEqual(["0003-indexed", "0004-fourth"]);
    expect(lines[0]).toMatch(/^0003-indexed: running for 0 s/);
    expect(lines.join()).toContain("index first_n of first: waiting for writers before build");
  });

  it("drops what a failed build has left, and builds it again", async () => {
    await migrate(test.database, [first, second]);
    await test.database.query("INSERT INTO first (n) VALUES (1)");
    await expect(migrate(test.database, all)).rejects.toMatchObject({ code: "23505" }); // unique_violation
    expect(await relations()).toEqual(["first", "first_n", "second"]);
    expect([await validIndexes(), await pendingMigrations(test.database, all)]).toEqual([[], ["0003-indexed", "0004-fourth"]]);
    await test.database.query("DELETE FROM first WHERE n = 1");
    expect(await migrate(test.database, all)).toEqual(["0003-indexed", "0004-fourth"]);
    expect(await validIndexes()).toEqual(["first_n", "second_n"]);
  });

  it("is applied once by four concurrent processes", async () => {
    const options = { url: test.url, poolSize: 1, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test" };
    const databases = Array.from({ length: 4 }, () => createDatabase(options));
    const outcomes = await Promise.all(databases.map((database) => migrate(database, all)));
    await Promise.all(databases.map((database) => database.close()));
    expect(outcomes.flat().sort()).toEqual(all.map(({ name }) => name));
    expect(await validIndexes()).toEqual(["first_n", "second_n"]);
  });
});

describe("a long migration", () => {
  it("reports how long it has been running", async () => {
    const lines: string[] = [];
    const sleeping = step("0001-sleeping", "SELECT pg_sleep(0.3)");
    await migrate(test.database, [sleeping], { onProgress: (line) => lines.push(line), progressMilliseconds: 50 });
    expect(new Set(lines)).toEqual(new Set(["0001-sleeping: running for 0 s"]));
  });

  it("reports that other statements use its table", async () => {
    const first = step("0001-first", "CREATE TABLE first (n int4)");
    await migrate(test.database, [first]);
    const lines: string[] = [];
    const migrating = await test.database.transaction(async (client) => {
      await client.query("SELECT FROM first");
      const changing = step("0002-changing", "ALTER TABLE first ADD COLUMN m int4");
      const started = migrate(test.database, [first, changing], { onProgress: (line) => lines.push(line) });
      started.catch(() => undefined);
      await until("a line", () => lines.length > 0);
      return { started };
    });
    expect(await migrating.started).toEqual(["0002-changing"]);
    expect(lines[0]).toMatch(/^A table is in use by other statements, retrying: .*lock timeout/);
  });
});

describe("a server of an older version", () => {
  const first = step("0001-first", "CREATE TABLE first (n int4)");
  const expanding = step("0002-expanding", "CREATE TABLE second (n int4); ALTER TABLE first ADD COLUMN m int4 NOT NULL DEFAULT 0", true);
  const changing = step("0003-changing", "ALTER TABLE first DROP COLUMN n");

  it("works with a newer schema that only expands", async () => {
    await migrate(test.database, [first]);
    await migrate(test.database, [first, expanding]);
    expect(await schemaProblem(test.database, [first])).toBeNull();
    expect(await pendingMigrations(test.database, [first])).toEqual([]);
    expect(await migrate(test.database, [first])).toEqual([]);
    await test.database.query("INSERT INTO first (n) VALUES (1)");
  });

  it("does not revert migrations that it does not know", async () => {
    await migrate(test.database, [first, expanding]);
    await expect(revert(test.database, [first])).rejects.toThrow(MigrationError);
    expect(await relations()).toEqual(["first", "second"]);
  });

  it("is rejected after a migration that does more than expand", async () => {
    await migrate(test.database, [first, expanding, changing]);
    expect(await schemaProblem(test.database, [first])).toBe(
      "The database schema is newer than this server (unknown migration: 0003-changing): upgrade this server, or use another database.",
    );
    expect(await schemaProblem(test.database, [first, expanding, changing])).toBeNull();
  });

  it("describes an older schema by its pending migrations", async () => {
    await migrate(test.database, [first]);
    expect(await schemaProblem(test.database, [first, expanding])).toBe(
      "The database schema is older than this server (pending migrations: 0002-expanding): run ashlar migrate.",
    );
  });

  it("refuses a schema that lacks migrations of this version and has unknown ones", async () => {
    await migrate(test.database, [first, step("0003-other", "CREATE TABLE other (n int4)", true)]);
    await expect(migrate(test.database, [first, expanding])).rejects.toThrow(/unknown migration: 0003-other/);
  });

  it("refuses unknown migrations of a database that was last migrated by a version without the only_expands column", async () => {
    await migrate(test.database, [first, expanding]);
    await test.database.query("ALTER TABLE ashlar_migrations DROP COLUMN only_expands");
    expect(await schemaProblem(test.database, [first])).toMatch(/unknown migration: 0002-expanding/);
    expect(await schemaProblem(test.database, [first, expanding])).toBeNull();
  });
});
