import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openReader } from "../../../runtime/commands/open-reader.ts";
import { type Config, config as configSchema } from "../../../runtime/config/config.ts";
import { createDatabase, type Database, type Queryable } from "../../../runtime/database/database.ts";
import { becomeReader } from "../../../runtime/database/reader/become-reader.ts";
import { readerRightsProblem } from "../../../runtime/database/reader/reader-rights.ts";
import { setUpReaderRole } from "../../../runtime/database/reader/reader-role.ts";
import { withAccount } from "../../../runtime/database/with-account.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { until } from "../../support/until.ts";

const settings = { statementTimeoutMilliseconds: 0, applicationName: "ashlar-test-reader" };
const configOf = (databaseUrl: string, more: Partial<Config> = {}): Config => configSchema.parse({ databaseUrl, ...more });
const open = (url: string, poolSize = 1): Database => createDatabase({ url, poolSize, ...settings });

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

const newDatabase = async (): Promise<TestDatabase> => {
  const test = await createTestDatabase();
  closing.push(test.drop);
  return test;
};

/** The error of a statement: its SQLSTATE, or "ok". */
const outcome = async (database: Queryable, statement: string): Promise<string> => {
  try {
    await database.query(statement);
    return "ok";
  } catch (error) {
    return String((error as { code?: unknown }).code ?? error);
  }
};

/** Refusals: SQLSTATE insufficient_privilege, read_only_sql_transaction, query_canceled (timeout), and those of the syntax. */
const denied = "42501";
const readOnly = "25006";
const canceled = "57014";
/** SQLSTATE configuration_limit_exceeded. */
const tooManyFiles = "53400";

let test: TestDatabase;
let reader: Database;
/** On a server that other applications use as well, rights that all roles have by default are kept. */
let shared: Database;

const readerOf = async ({ url, database }: TestDatabase, isOwnServer: boolean): Promise<Database> => {
  const account = await setUpReaderRole(database, { isOwnServer });
  const opened = open(withAccount(url, account));
  closing.push(opened.close);
  return opened;
};

beforeAll(async () => {
  test = await newDatabase();
  reader = await readerOf(test, true);
  shared = await readerOf(await newDatabase(), false);
});

/** Statements with their outcomes on Ashlar's own server, and on one that other applications use as well, if that differs. */
const expectations = (rows: readonly (readonly [statement: string, own: string, onShared?: string])[]) =>
  rows.map(([statement, own, onShared = own]) => ({ statement, own, onShared }));

describe("the reader role", () => {
  it("reads the schema api", async () => {
    expect(await outcome(reader, "SELECT count(*) FROM api.blocks")).toBe("ok");
    expect(await outcome(reader, "SELECT * FROM api.balances_at(1, 5), api.prices_at(1, 5)")).toBe("ok");
    expect(await readerRightsProblem(reader)).toBeNull();
  });

  it.each(
    expectations([
      ["INSERT INTO public.blocks (chain_id) VALUES (1)", readOnly],
      ["UPDATE api.blocks SET number = 0", denied],
      ["DELETE FROM api.blocks", denied],
      ["TRUNCATE public.blocks", readOnly],
      ["WITH gone AS (DELETE FROM public.api_keys RETURNING 1) SELECT * FROM gone", readOnly],
      ["SELECT * INTO stolen FROM api.blocks", readOnly],
      ["CREATE TABLE api.mine (a int)", readOnly],
      ["CREATE TEMP TABLE mine (a int)", readOnly],
      ["CREATE FUNCTION api.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'", readOnly],
      ["DO $$ BEGIN PERFORM pg_read_file('/etc/passwd'); END $$", denied],
      ["SELECT * FROM public.api_keys", denied],
      ["SELECT * FROM public.community_reader", denied],
      ["SELECT * FROM public.blocks", denied],
      ["SELECT rolpassword FROM pg_authid", denied],
      ["SELECT passwd FROM pg_shadow", denied],
      ["SET ROLE ashlar", denied],
      ["SET SESSION AUTHORIZATION ashlar", denied],
      ["ALTER ROLE CURRENT_USER CREATEROLE", readOnly],
      ["GRANT SELECT ON api.blocks TO PUBLIC", readOnly],
      ["SELECT pg_read_file('/etc/passwd')", denied],
      ["SELECT pg_ls_dir('/')", denied],
      ["SELECT lo_create(0)", denied, readOnly],
      ["SELECT lo_import('/etc/passwd')", denied],
      ["SELECT lo_export(1, '/tmp/file')", denied],
      ["COPY (SELECT 1) TO PROGRAM 'id'", denied],
      ["COPY (SELECT 1) TO '/tmp/file'", denied],
      ["COPY public.blocks FROM '/etc/passwd'", denied],
      ["CREATE EXTENSION dblink", readOnly],
      ["SELECT dblink('host=127.0.0.1', 'SELECT 1')", "42883"],
      ["SELECT query_to_xml('SELECT * FROM public.api_keys', true, false, '')", denied],
      ["SELECT 1; DROP TABLE public.blocks", readOnly],
      ["SELECT set_config('role', 'ashlar', false)", denied],
      ["SELECT pg_reload_conf()", denied],
      ["SELECT pg_switch_wal()", denied],
      ["SELECT pg_create_logical_replication_slot('s', 'pgoutput')", denied],
      ["SELECT 1; LOCK TABLE public.blocks IN ACCESS EXCLUSIVE MODE", denied],
      ["VACUUM FULL pg_class; SELECT 1", "25001"],
      // The rest is harmful only as a load, or to other connections of the same role; the checker of declarations refuses all of these functions.
      ["SELECT set_config('statement_timeout', '0', true)", denied, "ok"],
      ["SELECT pg_sleep(0)", denied, "ok"],
      ["SELECT pg_notify('channel', 'text')", denied, "ok"],
      // Held until the connection ends.
      ["SELECT pg_advisory_lock(1)", denied, "ok"],
      ["SELECT pg_cancel_backend(0)", denied, "ok"],
      ["SELECT pg_logical_emit_message(false, 'a', 'text')", denied, "ok"],
    ]),
  )("may not run $statement", async ({ statement, own, onShared }) => {
    expect([await outcome(reader, statement), await outcome(shared, statement)]).toEqual([own, onShared]);
  });

  it.each(
    expectations([
      ["INSERT INTO public.blocks (chain_id) VALUES (1)", denied],
      ["UPDATE api.blocks SET number = 0", denied],
      ["DELETE FROM api.blocks", denied],
      ["TRUNCATE public.blocks", denied],
      ["DROP TABLE public.blocks", denied],
      ["CREATE TABLE api.mine (a int)", denied],
      ["CREATE TABLE public.mine (a int)", denied],
      ["CREATE SCHEMA mine", denied],
      ["CREATE FUNCTION api.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'", denied],
      ["CREATE EXTENSION dblink", denied],
      ["ALTER ROLE CURRENT_USER CREATEROLE", denied],
      // Dropped when the connection ends.
      ["CREATE TEMP TABLE mine (a int)", denied, "ok"],
      ["SELECT lo_create(0)", denied, "ok"],
    ]),
  )("lacks the right for $statement, also in a transaction that may write", async ({ statement, own, onShared }) => {
    const outcomes = [reader, shared].map((database) =>
      database.transaction(async (client) => {
        await client.query("SET TRANSACTION READ WRITE");
        return outcome(client, statement);
      }),
    );
    expect(await Promise.all(outcomes)).toEqual([own, onShared]);
  });

  it("may not end the connections of other roles", async () => {
    const [{ pid } = { pid: 0 }] = await test.database.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    expect(await outcome(reader, `SELECT pg_terminate_backend(${pid})`)).toBe(denied);
    expect(await outcome(shared, `SELECT pg_terminate_backend(${pid})`)).toBe(denied);
  });

  it.each([
    ["sleeps", "SELECT pg_sleep(60)"],
    ["recursion", "WITH RECURSIVE bomb(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM bomb) SELECT count(*) FROM bomb"],
    ["products", "SELECT count(*) FROM generate_series(1, 10000000) a, generate_series(1, 1000) b"],
  ])("is stopped by its statement timeout, or its limit of temporary files: %s", async (_, statement) => {
    const started = performance.now();
    expect([canceled, tooManyFiles]).toContain(await outcome(shared, statement));
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  it("may not write more than its limit of temporary files", async () => {
    // Or the timeout, on a slow machine. 20 million rows of 60 bytes are 1.2 GB.
    const sort = "SELECT count(*) FROM (SELECT repeat(n::text, 8) AS t FROM generate_series(1, 20000000) n ORDER BY 1 OFFSET 1) s";
    expect([tooManyFiles, canceled]).toContain(await outcome(reader, sort));
  });

  it("cannot prolong its timeout for the statement that runs", async () => {
    expect(await outcome(shared, "SELECT set_config('statement_timeout', '0', true), pg_sleep(60)")).toBe(canceled);
  });
});

describe("setUpReaderRole", () => {
  it("returns the same account to processes that start at once", async () => {
    const { url } = await newDatabase();
    const pools = Array.from({ length: 6 }, () => open(url));
    const accounts = await Promise.all(pools.map((pool) => setUpReaderRole(pool, { isOwnServer: true })));
    expect(new Set(accounts.map(({ user, password }) => `${user} ${password}`)).size).toBe(1);
    await Promise.all(pools.map((pool) => pool.close()));
  });

  it("creates a role for each database of a server, which cannot log in with the password of another", async () => {
    const other = await newDatabase();
    const [one, two] = [
      await setUpReaderRole(test.database, { isOwnServer: true }),
      await setUpReaderRole(other.database, { isOwnServer: true }),
    ];
    expect(one.user).not.toBe(two.user);
    const wrong = open(withAccount(other.url, { ...two, password: one.password }));
    expect(await outcome(wrong, "SELECT 1")).toBe("28P01");
    await wrong.close();
  });

  it("sends no password to the server", async () => {
    const { database } = await newDatabase();
    const sent: string[] = [];
    const account = await setUpReaderRole(
      {
        ...database,
        transaction: (work) =>
          database.transaction((client) =>
            work({
              ...client,
              query: (sql, parameters) => {
                sent.push(JSON.stringify([sql, parameters]));
                return client.query(sql, parameters);
              },
            }),
          ),
      },
      { isOwnServer: true },
    );
    expect(sent.join("\n")).toContain("SCRAM-SHA-256$4096:");
    expect(sent.join("\n")).not.toContain(account.password);
  });
});

describe("openReader", () => {
  it("opens connections of the role, and sets its password again if the server rejects it", async () => {
    const { url, database } = await newDatabase();
    const { reader: first, readerRole } = await openReader(configOf(url), { url }, database);
    expect(await first.query("SELECT current_user::text AS role, current_setting('application_name') AS name")).toEqual([
      { role: readerRole, name: "ashlar-community" },
    ]);
    await first.close();
    await database.query(`ALTER ROLE ${readerRole} PASSWORD 'another'`);
    const { reader: second } = await openReader(configOf(url), { url }, database);
    expect(await outcome(second, "SELECT 1 FROM api.blocks")).toBe("ok");
    await second.close();
  });

  /** A user that owns the database and its tables, with some attributes. */
  const ownedBy = async (attributes: string): Promise<{ readonly url: string; readonly own: Database; readonly admin: TestDatabase }> => {
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
    const own = open(url, 2);
    closing.push(own.close);
    return { url, own, admin };
  };

  it("sets up the role as a user with CREATEROLE, also repeatedly", async () => {
    const { url, own } = await ownedBy("CREATEROLE");
    for (const mustReset of [false, true, false]) await setUpReaderRole(own, { isOwnServer: false, mustReset });
    const { reader: opened } = await openReader(configOf(url), { url }, own);
    expect(await outcome(opened, "SELECT 1 FROM api.blocks")).toBe("ok");
    await opened.close();
  });

  it("is become in a transaction by a superuser and by the user that created it, with its rights and limits, and by no other user", async () => {
    const [creator, stranger] = [await ownedBy("CREATEROLE"), await ownedBy("")];
    const { user: created } = await setUpReaderRole(creator.own, { isOwnServer: false });
    const { user: given } = await setUpReaderRole(stranger.admin.database, { isOwnServer: false });
    const identity =
      "SELECT current_user::text AS role, current_setting('work_mem') AS memory, current_setting('statement_timeout') AS timeout";
    const become = (database: Database, role: string) =>
      database.transaction(async (client) => {
        const [before] = await client.query(identity);
        const asReader = await becomeReader(client, role, 700);
        if (asReader === null) return null;
        const outcomes = [];
        for (const statement of ["SELECT FROM public.blocks", "CREATE TABLE public.own ()", "SELECT FROM api.blocks"])
          outcomes.push(await asReader(() => outcome(client, statement)));
        const [found] = await asReader(() => client.query<{ role: string }>(identity));
        const [after] = await client.query(identity);
        return { outcomes, found, isRestored: JSON.stringify(after) === JSON.stringify(before) };
      });
    for (const [database, role] of [
      [creator.own, created],
      [creator.admin.database, created],
    ] as const) {
      expect(await become(database, role)).toEqual({
        outcomes: [denied, readOnly, "ok"],
        found: { role, memory: "16MB", timeout: "700ms" },
        isRestored: true,
      });
    }
    expect(await become(stranger.own, given)).toBeNull();
  });

  it("needs no right to create roles if the role exists", async () => {
    const { url, own, admin } = await ownedBy("");
    const { user } = await setUpReaderRole(admin.database, { isOwnServer: false });
    const { reader: opened, readerRole } = await openReader(configOf(url), { url }, own);
    expect(readerRole).toBe(user);
    await opened.close();
  });

  it("refuses a user that may not create roles with the statements that an administrator runs", async () => {
    const { url, own, admin } = await ownedBy("");
    const error = await openReader(configOf(url), { url }, own).catch((reason: unknown) => reason as Error);
    if (!(error instanceof Error)) throw new TypeError("Expected an error.");
    expect([error.name, error.message]).toEqual([
      "ReaderRoleError",
      expect.stringMatching(/^The database role ashlar_reader_\d+ of community endpoints cannot be set up: .*COMMUNITY_DATABASE_URL/),
    ]);
    expect(error.message).not.toContain("owner@");
    const [, ...statements] = error.message.split("\n");
    for (const statement of statements) await admin.database.query(statement);
    const created = /ashlar_reader_\d+/.exec(error.message)?.[0] ?? "";
    const communityDatabaseUrl = withAccount(url, { user: created, password: "PASSWORD", database: "" });
    const { reader: opened, readerRole } = await openReader(configOf(url, { communityDatabaseUrl }), { url }, own);
    expect([readerRole, await outcome(opened, "SELECT 1 FROM api.blocks")]).toEqual([created, "ok"]);
    await opened.close();
  });

  it.each<readonly [string, string, RegExp]>([
    ["may write", "GRANT INSERT ON public.blocks TO $role", /can write public\.blocks/],
    ["may read keys", "GRANT SELECT ON public.api_keys TO $role", /can read public\.api_keys/],
    ["cannot read a view", "REVOKE SELECT ON api.blocks FROM $role", /cannot read api\.blocks/],
    ["is a superuser", "ALTER ROLE $role SUPERUSER", /has SUPERUSER/],
    ["is a member of another role", "GRANT pg_read_all_data TO $role", /is a member of role pg_read_all_data/],
    ["is not read-only", "ALTER ROLE $role RESET default_transaction_read_only", /not read-only by default/],
  ])("refuses a configured role that %s", async (_, statement, expected) => {
    const { url, database } = await newDatabase();
    const account = await setUpReaderRole(database, { isOwnServer: true });
    await database.query(statement.replace("$role", account.user));
    const config = configOf(url, { communityDatabaseUrl: withAccount(url, account) });
    const error = (await openReader(config, { url }, database).catch((reason: unknown) => reason)) as Error;
    expect([error.name, error.message]).toEqual(["ReaderRoleError", expect.stringMatching(expected)]);
    expect(error.message).toMatch(/^Invalid communityDatabaseUrl: /);
    expect(error.message).not.toContain(account.password);
  });

  it("refuses a configured URL of another database", async () => {
    const other = await newDatabase();
    const account = await setUpReaderRole(other.database, { isOwnServer: true });
    const config = configOf(test.url, { communityDatabaseUrl: withAccount(other.url, account) });
    await expect(openReader(config, { url: test.url }, test.database)).rejects.toThrow("it leads to another database");
  });

  it("leaves no connection open after a refusal", async () => {
    const { url, database } = await newDatabase();
    const config = configOf(url, { communityDatabaseUrl: url });
    await expect(openReader(config, { url }, database)).rejects.toThrow("has SUPERUSER");
    const connections = () =>
      database.query("SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'ashlar-community'");
    await until("the connections are closed", async () => (await connections()).length === 0);
  });
});
