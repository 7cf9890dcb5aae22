import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openReader } from "../../../../runtime/commands/open-reader.ts";
import { type Config, configSchema } from "../../../../runtime/config/config.ts";
import type { Database } from "../../../../runtime/database/database.ts";
import { setUpReaderRole } from "../../../../runtime/database/reader/reader-role.ts";
import { createReaderRunner } from "../../../../runtime/database/reader/reader-runner.ts";
import { withAccount } from "../../../../runtime/database/with-account.ts";
import type { TestDatabase } from "../../../support/database.ts";
import { until } from "../../../support/until.ts";
import {
  cleanups,
  closeAll,
  insufficientPrivilege,
  newDatabase,
  open,
  openReaders,
  outcome,
  readOnlySqlTransaction,
  testDatabase,
} from "./databases.ts";

const configOf = (databaseUrl: string, more: Partial<Config> = {}): Config => configSchema.parse({ databaseUrl, ...more });

afterAll(closeAll);
beforeAll(openReaders);

describe("openReader", () => {
  it("opens connections with the role, and sets its password again if the server rejects it", async () => {
    const { url, database } = await newDatabase();
    const { reader: first, readerRole } = await openReader(configOf(url), { url }, database, 8);
    expect(await first.query("SELECT current_user::text AS role, current_setting('application_name') AS name")).toEqual([
      { role: readerRole, name: "ashlar-community" },
    ]);
    await first.close();
    await database.query(`ALTER ROLE ${readerRole} PASSWORD 'another'`);
    const { reader: second } = await openReader(configOf(url), { url }, database, 8);
    expect(await outcome(second, "SELECT 1 FROM api.blocks")).toBe("ok");
    await second.close();
  });

  /** Creates a database that, with its tables, belongs to a new user with the given role attributes. */
  const createOwnedDatabase = async (
    attributes: string,
  ): Promise<{ readonly url: string; readonly asOwner: Database; readonly admin: TestDatabase }> => {
    const admin = await newDatabase();
    const name = new URL(admin.url).pathname.slice(1);
    const user = `owner_${name}`;
    await admin.database.query(`CREATE ROLE ${user} LOGIN PASSWORD 'owner' ${attributes}`);
    await admin.database.query(`ALTER DATABASE ${name} OWNER TO ${user}`);
    await admin.database.query(`ALTER SCHEMA api OWNER TO ${user}`);
    const relations = await admin.database.query<{ name: string }>(
      `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname IN ('public', 'api') AND c.relkind IN ('r', 'v', 'p')`,
    );
    for (const relation of relations) await admin.database.query(`ALTER TABLE ${relation.name} OWNER TO ${user}`);
    const url = withAccount(admin.url, { user, password: "owner", database: name });
    const asOwner = open(url, 2);
    cleanups.push(asOwner.close);
    return { url, asOwner, admin };
  };

  it("can set up the role repeatedly as a user with CREATEROLE", async () => {
    const { url, asOwner } = await createOwnedDatabase("CREATEROLE");
    for (const mustResetPassword of [false, true, false]) await setUpReaderRole(asOwner, { isOwnServer: false, mustResetPassword });
    const { reader: opened } = await openReader(configOf(url), { url }, asOwner, 8);
    expect(await outcome(opened, "SELECT 1 FROM api.blocks")).toBe("ok");
    await opened.close();
  });

  it("sets up a role that a superuser and its creator, but no other user, can assume in a transaction, with its privileges and limits", async () => {
    const [creator, nonCreator] = [await createOwnedDatabase("CREATEROLE"), await createOwnedDatabase("")];
    const { user: created } = await setUpReaderRole(creator.asOwner, { isOwnServer: false });
    const { user: given } = await setUpReaderRole(nonCreator.admin.database, { isOwnServer: false });
    const identity =
      "SELECT current_user::text AS role, current_setting('work_mem') AS memory, current_setting('statement_timeout') AS timeout";
    const become = (database: Database, role: string) =>
      database.transaction(async (client) => {
        const [before] = await client.query(identity);
        const asReader = await createReaderRunner(client, role, 700);
        if (asReader === null) return null;
        const outcomes = [];
        for (const statement of ["SELECT FROM public.blocks", "CREATE TABLE public.own ()", "SELECT FROM api.blocks"])
          outcomes.push(await asReader(() => outcome(client, statement)));
        const [found] = await asReader(() => client.query<{ role: string }>(identity));
        const [after] = await client.query(identity);
        return { outcomes, found, isRestored: JSON.stringify(after) === JSON.stringify(before) };
      });
    for (const [database, role] of [
      [creator.asOwner, created],
      [creator.admin.database, created],
    ] as const) {
      expect(await become(database, role)).toEqual({
        outcomes: [insufficientPrivilege, readOnlySqlTransaction, "ok"],
        found: { role, memory: "16MB", timeout: "700ms" },
        isRestored: true,
      });
    }
    expect(await become(nonCreator.asOwner, given)).toBeNull();
  });

  it("does not need CREATEROLE if the role exists", async () => {
    const { url, asOwner, admin } = await createOwnedDatabase("");
    const { user } = await setUpReaderRole(admin.database, { isOwnServer: false });
    const { reader: opened, readerRole } = await openReader(configOf(url), { url }, asOwner, 8);
    expect(readerRole).toBe(user);
    await opened.close();
  });

  it("refuses a user without CREATEROLE with an error that contains the statements for an administrator", async () => {
    const { url, asOwner, admin } = await createOwnedDatabase("");
    const error = await openReader(configOf(url), { url }, asOwner, 8).catch((reason: unknown) => reason as Error);
    if (!(error instanceof Error)) throw new TypeError("openReader accepted a user without CREATEROLE.");
    expect([error.name, error.message]).toEqual([
      "ReaderRoleError",
      expect.stringMatching(/^The database role ashlar_reader_\d+ of community endpoints cannot be set up: .*COMMUNITY_DATABASE_URL/),
    ]);
    expect(error.message).not.toContain("owner@");
    const [, ...statements] = error.message.split("\n");
    for (const statement of statements) await admin.database.query(statement);
    const created = /ashlar_reader_\d+/.exec(error.message)?.[0] ?? "";
    const communityDatabaseUrl = withAccount(url, { user: created, password: "PASSWORD", database: "" });
    const { reader: opened, readerRole } = await openReader(configOf(url, { communityDatabaseUrl }), { url }, asOwner, 8);
    expect([readerRole, await outcome(opened, "SELECT 1 FROM api.blocks")]).toEqual([created, "ok"]);
    await opened.close();
  });

  it.each<readonly [string, string, RegExp]>([
    ["can write", "GRANT INSERT ON public.blocks TO $role", /can write public\.blocks/],
    ["can read keys", "GRANT SELECT ON public.api_keys TO $role", /can read public\.api_keys/],
    ["cannot read a view", "REVOKE SELECT ON api.blocks FROM $role", /cannot read api\.blocks/],
    ["is a superuser", "ALTER ROLE $role SUPERUSER", /has SUPERUSER/],
    ["bypasses row-level security", "ALTER ROLE $role BYPASSRLS", /has BYPASSRLS/],
    ["is a member of another role", "GRANT pg_read_all_data TO $role", /is a member of role pg_read_all_data/],
    ["is not read-only", "ALTER ROLE $role RESET default_transaction_read_only", /not read-only by default/],
  ])("refuses a configured role that %s", async (_, statement, expected) => {
    const { url, database } = await newDatabase();
    const account = await setUpReaderRole(database, { isOwnServer: true });
    await database.query(statement.replace("$role", account.user));
    const config = configOf(url, { communityDatabaseUrl: withAccount(url, account) });
    const error = (await openReader(config, { url }, database, 8).catch((reason: unknown) => reason)) as Error;
    expect([error.name, error.message]).toEqual(["ReaderRoleError", expect.stringMatching(expected)]);
    expect(error.message).toMatch(/^Invalid communityDatabaseUrl: /);
    expect(error.message).not.toContain(account.password);
  });

  it("refuses a configured URL that refers to another database", async () => {
    const other = await newDatabase();
    const account = await setUpReaderRole(other.database, { isOwnServer: true });
    const config = configOf(testDatabase.url, { communityDatabaseUrl: withAccount(other.url, account) });
    await expect(openReader(config, { url: testDatabase.url }, testDatabase.database, 8)).rejects.toThrow("it refers to another database");
  });

  it("leaves no connection open after a refusal", async () => {
    const { url, database } = await newDatabase();
    const config = configOf(url, { communityDatabaseUrl: url });
    await expect(openReader(config, { url }, database, 8)).rejects.toThrow("has SUPERUSER");
    const connections = () =>
      database.query("SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'ashlar-community'");
    await until("the connections to be closed", async () => (await connections()).length === 0);
  });
});
