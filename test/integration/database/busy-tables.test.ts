import { beforeEach, describe, expect, it } from "vitest";
import { createDatabase, type DatabaseOptions } from "../../../runtime/database/database.ts";
import { migrate } from "../../../runtime/database/migrate.ts";
import type { Migration } from "../../../runtime/database/migration.ts";
import { pendingMigrations } from "../../../runtime/database/schema-state.ts";
import { sleep } from "../../../runtime/lib/async.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import { until } from "../../support/until.ts";
import { relationsOf, step } from "./migration-support.ts";

let testDatabase: TestDatabase;
beforeEach(async () => {
  testDatabase = await createTestDatabase({ migrated: false });
  return testDatabase.drop;
});

describe("a migration that changes a table in use", () => {
  const first = step("0001-first", "CREATE TABLE first (n int4)");
  const second = step("0002-second", "ALTER TABLE first ADD COLUMN m int4");

  it("does not block other statements while it waits for its lock, and is applied afterwards", async () => {
    await migrate(testDatabase.database, [first]);
    let migrating: Promise<readonly string[]> = Promise.resolve([]);
    await testDatabase.database.transaction(async (client) => {
      // This statement's lock conflicts with ALTER TABLE's lock until the transaction ends.
      await client.query("SELECT FROM first");
      migrating = migrate(testDatabase.database, [first, second]);
      await until("the migration to wait for the lock", async () => {
        const [row] = await testDatabase.database.query<{ waits: boolean }>(
          "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = 'first'::regclass) AS waits",
        );
        return row?.waits === true;
      });
      // The statement waits behind the migration until the migration stops waiting for its lock.
      const read = testDatabase.database.query("SELECT FROM first").then(() => "read");
      expect(await Promise.race([read, sleep(scaleTimeLimit(20_000)).then(() => "blocked")])).toBe("read");
      expect(await pendingMigrations(testDatabase.database, [first, second])).toEqual(["0002-second"]);
    });
    expect(await migrating).toEqual(["0002-second"]);
  });
});

const optionsOf = ({ url }: TestDatabase): DatabaseOptions => ({
  url,
  poolSize: 1,
  statementTimeoutMilliseconds: 0,
  applicationName: "ashlar-test",
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
    const rows = await testDatabase.database.query<{ name: string }>(
      "SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indisvalid AND indexrelid::regclass::text ~ '_n$' ORDER BY 1",
    );
    return rows.map(({ name }) => name);
  };

  it("builds the indexes before it runs its statements", async () => {
    expect(await migrate(testDatabase.database, all)).toEqual(["0001-first", "0002-second", "0003-indexed", "0004-fourth"]);
    expect(await validIndexes()).toEqual(["first_n", "second_n"]);
    const [index] = await testDatabase.database.query("SELECT pg_get_indexdef('first_n'::regclass) AS definition");
    expect(index).toEqual({ definition: "CREATE UNIQUE INDEX first_n ON public.first USING btree (n)" });
    expect(await relationsOf(testDatabase)).toEqual(["first", "first_n", "fourth", "second", "second_n", "third"]);
    expect(await migrate(testDatabase.database, all)).toEqual([]);
  });

  it("does not block writes to the table while it waits for older transactions", async () => {
    await migrate(testDatabase.database, [first, second]);
    const lines: string[] = [];
    const migrating = await testDatabase.database.transaction(async (client) => {
      await client.query("INSERT INTO first (n) VALUES (0)");
      const started = migrate(testDatabase.database, all, { onProgress: (line) => lines.push(line), progressMilliseconds: 20 });
      started.catch(() => undefined);
      await until("a progress line from the waiting build", () => lines.some((line) => line.includes("waiting for writers")));
      // A CREATE INDEX in a transaction would block this statement.
      await testDatabase.database.query("INSERT INTO first (n) VALUES (1001)");
      return { started };
    });
    expect(await migrating.started).toEqual(["0003-indexed", "0004-fourth"]);
    expect(lines[0]).toMatch(/^0003-indexed: running for 0 s/);
    expect(lines.join()).toContain("index first_n of first: waiting for writers before build");
  });

  it("drops the invalid index left by a failed build, and builds it again", async () => {
    await migrate(testDatabase.database, [first, second]);
    await testDatabase.database.query("INSERT INTO first (n) VALUES (1)");
    await expect(migrate(testDatabase.database, all)).rejects.toMatchObject({ code: "23505" }); // unique_violation
    expect(await relationsOf(testDatabase)).toEqual(["first", "first_n", "second"]);
    expect([await validIndexes(), await pendingMigrations(testDatabase.database, all)]).toEqual([[], ["0003-indexed", "0004-fourth"]]);
    await testDatabase.database.query("DELETE FROM first WHERE n = 1");
    expect(await migrate(testDatabase.database, all)).toEqual(["0003-indexed", "0004-fourth"]);
    expect(await validIndexes()).toEqual(["first_n", "second_n"]);
  });

  it("holds no transaction open while another process builds the indexes, because the build would wait for the transaction to end", async () => {
    await migrate(testDatabase.database, [first, second]);
    const waiting = createDatabase({ ...optionsOf(testDatabase), applicationName: "waiting" });
    const connections = (): Promise<readonly { state: string }[]> =>
      testDatabase.database.query(
        "SELECT state FROM pg_stat_activity WHERE application_name = 'waiting' AND datname = current_database() AND query LIKE ANY ('{%pg_try_advisory_xact_lock%,COMMIT}')",
      );
    const migrating = await testDatabase.database.transaction(async (client) => {
      // The lock of the process that builds indexes, as in concurrent-indexes.ts.
      await client.query(`SELECT pg_advisory_xact_lock(${0x696e646578})`);
      const started = migrate(waiting, all);
      started.catch(() => undefined);
      await until("the process to wait without a transaction", async () => (await connections()).some(({ state }) => state === "idle"));
      return { started };
    });
    expect(await migrating.started).toEqual(["0003-indexed", "0004-fourth"]);
    await waiting.close();
  });

  it("is applied once by four concurrent processes", async () => {
    const databases = Array.from({ length: 4 }, () => createDatabase(optionsOf(testDatabase)));
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
    await migrate(testDatabase.database, [sleeping], { onProgress: (line) => lines.push(line), progressMilliseconds: 50 });
    expect(new Set(lines)).toEqual(new Set(["0001-sleeping: running for 0 s"]));
  });

  it("reports that other statements use its table", async () => {
    const first = step("0001-first", "CREATE TABLE first (n int4)");
    await migrate(testDatabase.database, [first]);
    const lines: string[] = [];
    const migrating = await testDatabase.database.transaction(async (client) => {
      await client.query("SELECT FROM first");
      const changing = step("0002-changing", "ALTER TABLE first ADD COLUMN m int4");
      const started = migrate(testDatabase.database, [first, changing], { onProgress: (line) => lines.push(line) });
      started.catch(() => undefined);
      await until("a line", () => lines.length > 0);
      return { started };
    });
    expect(await migrating.started).toEqual(["0002-changing"]);
    expect(lines[0]).toMatch(/^A table is in use by other statements, retrying: .*lock timeout/);
  });
});
