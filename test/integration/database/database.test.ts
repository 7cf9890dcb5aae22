import { inspect } from "node:util";
import { beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { bytes, bytesArray } from "../../../runtime/database/codecs.ts";
import { createDatabase } from "../../../runtime/database/database.ts";
import { DatabaseUnavailable } from "../../../runtime/database/errors.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { startTcpProxy } from "../../support/tcp-proxy.ts";

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase({ migrated: false });
  return testDatabase.drop;
});

const open = (url: string, statementTimeoutMilliseconds = 0) =>
  createDatabase({ url, poolSize: 1, statementTimeoutMilliseconds, applicationName: "ashlar-pool-test" });

async function failure(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error("The work did not fail.");
}

describe("values", () => {
  it("are parsed as hex, safe numbers, decimal text, dates and days", async () => {
    const rows =
      await testDatabase.database.query(`SELECT '\\xAbCd'::bytea AS bytes, ''::bytea AS no_bytes, 9007199254740991::int8 AS highest, -1::int8 AS below,
      115792089237316195423570985008687907853269984665640564039457584007913129639935::numeric(78,0) AS amount, timestamptz '2024-02-29 12:00:00.123+02' AS at,
      date '2024-02-29' AS day, true AS flag, null::bytea AS nothing, 7::int4 AS number`);
    expect(rows).toEqual([
      {
        bytes: "0xabcd",
        no_bytes: "0x",
        highest: Number.MAX_SAFE_INTEGER,
        below: -1,
        amount: String(2n ** 256n - 1n),
        at: new Date("2024-02-29T10:00:00.123Z"),
        day: "2024-02-29",
        flag: true,
        nothing: null,
        number: 7,
      },
    ]);
  });

  it("are parsed the same in arrays", async () => {
    const rows = await testDatabase.database.query(
      `SELECT ARRAY['\\xab'::bytea, NULL, ''] AS bytes, '{}'::bytea[] AS none, ARRAY[1, NULL]::int8[] AS numbers, ARRAY[3, NULL]::int2[] AS small, ARRAY[1.50, NULL] AS amounts, ARRAY['a,b'] AS texts`,
    );
    expect(rows).toEqual([
      { bytes: ["0xab", null, "0x"], none: [], numbers: [1, null], small: [3, null], amounts: ["1.50", null], texts: ["a,b"] },
    ]);
  });

  it("are rejected if a number would be inexact", async () => {
    await expect(testDatabase.database.query("SELECT 9007199254740992::int8")).rejects.toThrow(
      "Unsafe int8 9007199254740992: the maximum is 2^53 - 1",
    );
    await expect(testDatabase.database.query("SELECT 1 AS still_usable")).resolves.toEqual([{ still_usable: 1 }]);
  });

  it("are accepted as parameters, including arrays of bytes", async () => {
    const rows = await testDatabase.database.query(
      "SELECT $1::bytea AS one, $2::bytea[] AS many, $3::numeric AS amount, '\\xab'::bytea = ANY($2) AS found, $4::bytea[] AS written, $5::bytea[] AS none",
      [bytes("0xAB00"), [bytes("0xab"), bytes("0x")], 2n ** 256n - 1n, bytesArray(new Set(["0xAB", "0x"])), bytesArray([])],
    );
    const expected = {
      one: "0xab00",
      many: ["0xab", "0x"],
      amount: String(2n ** 256n - 1n),
      found: true,
      written: ["0xab", "0x"],
      none: [],
    };
    expect(rows).toEqual([expected]);
  });

  it.each(["ab", "0xabc", "0xzz", "0xab\n", "", "0Xab"])("are rejected as bytes if they are not hex (%j)", (text) => {
    expect(() => bytes(text)).toThrow(RangeError);
    expect(() => bytesArray(["0xab", text])).toThrow(RangeError);
  });

  it("are parsed only in this pool, without changing the driver's parsers", async () => {
    const { default: pg } = await import("pg");
    const client = new pg.Client({ connectionString: testDatabase.url });
    await client.connect();
    const { rows } = await client.query("SELECT '\\xab'::bytea AS bytes, 1::int8 AS number");
    await client.end();
    expect(rows).toEqual([{ bytes: Buffer.from([0xab]), number: "1" }]);
  });

  it("are parsed the same through knex", async () => {
    const { rows } = await testDatabase.database.knex.raw("SELECT '\\xab'::bytea AS bytes, 1::int8 AS number");
    expect(rows).toEqual([{ bytes: "0xab", number: 1 }]);
  });
});

describe("transactions", () => {
  it("commit, and roll back on an error", async () => {
    await testDatabase.database.query("CREATE TABLE kept (n int4)");
    await testDatabase.database.transaction((client) => client.query("INSERT INTO kept VALUES (1)"));
    const thrown = new Error("stop here");
    const caught = await failure(() =>
      testDatabase.database.transaction(async (client) => {
        await client.query("INSERT INTO kept VALUES (2)");
        throw thrown;
      }),
    );
    expect(caught).toBe(thrown);
    expect(await testDatabase.database.query("SELECT n FROM kept")).toEqual([{ n: 1 }]);
  });

  it("release a broken connection, so the next statement succeeds", async () => {
    const database = open(testDatabase.url);
    const caught = await failure(() =>
      database.transaction(async (client) => {
        const [connection] = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
        await testDatabase.database.query("SELECT pg_terminate_backend($1)", [connection?.pid]);
        await client.query("SELECT 1");
      }),
    );
    expect(caught).toBeInstanceOf(DatabaseUnavailable);
    expect(await database.query("SELECT 1 AS fine")).toEqual([{ fine: 1 }]);
    await database.close();
  });
});

describe("connections", () => {
  it("have the application name, and cancel a statement that exceeds the timeout", async () => {
    const database = open(testDatabase.url, 100);
    expect(await database.query("SELECT current_setting('application_name') AS name")).toEqual([{ name: "ashlar-pool-test" }]);
    // 57014 query_canceled (PostgreSQL appendix A).
    expect(await failure(() => database.query("SELECT pg_sleep(10)"))).toMatchObject({ code: "57014" });
    await database.close();
  });

  it("can be closed twice, and leave no server connection open", async () => {
    const database = open(testDatabase.url);
    await database.knex.raw("SELECT 1");
    await database.query("SELECT 1");
    await Promise.all([database.close(), database.close()]);
    const countOpen = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'ashlar-pool-test' AND datname = current_database()";
    await expect.poll(async () => (await testDatabase.database.query(countOpen))[0]).toEqual({ count: 0 });
  });

  it("are abandoned and replaced if the server does not respond to a cancellation either", async () => {
    const proxy = await startTcpProxy(testDatabase.url);
    onTestFinished(proxy.close);
    const database = open(testDatabase.url.replace(/:\d+\//, `:${proxy.port}/`), 100);
    await database.query("SELECT 1");
    proxy.isMuted = true;
    const start = performance.now();
    // No request could cancel this statement, so only the timeout applies.
    expect(await failure(() => database.query("SELECT 1"))).toMatchObject({ name: "DatabaseUnavailable", code: "ECONNRESET" });
    // The limits are 0.1 s for the statement and 5 s for its cancellation.
    expect(performance.now() - start).toBeGreaterThan(5_000);
    proxy.isMuted = false;
    expect(await database.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await database.close();
  });

  it("are replaced if the server closes them while they are idle", async () => {
    const database = open(testDatabase.url);
    const [connection] = await database.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    await testDatabase.database.query("SELECT pg_terminate_backend($1, 5000)", [connection?.pid]);
    const [next] = await database
      .query<{ pid: number }>("SELECT pg_backend_pid() AS pid")
      .catch(() => database.query<{ pid: number }>("SELECT pg_backend_pid() AS pid"));
    expect(next?.pid).not.toBe(connection?.pid);
    await database.close();
  });
});

describe("errors", () => {
  const serverUrl = new URL(inject("serverUrl"));
  const password = serverUrl.password;
  const withPart = (part: Partial<Record<"port" | "password" | "pathname", string>>): string =>
    Object.assign(new URL(serverUrl.href), part).href;

  it.each([
    ["a wrong password", withPart({ password: "s3cret%2Fword" }), "28P01", "s3cret"],
    ["a port where nothing listens", withPart({ port: "1" }), "ECONNREFUSED", password],
    ["a missing database", withPart({ pathname: "/missing" }), "3D000", password],
    ["an unknown host", "postgresql://ashlar:s3cret@nowhere.invalid/ashlar", /ENOTFOUND|EAI_AGAIN/, "s3cret"],
    ["a malformed URL", "postgresql://ashlar:s3cret@host:99999999/ashlar", "ERR_INVALID_URL", "s3cret"],
  ])("are typed, and contain neither password nor port (%s)", async (_, url, code, secret) => {
    const database = open(url);
    const error = await failure(() => database.query("SELECT 1"));
    await database.close();
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    expect((error as DatabaseUnavailable).code).toMatch(code);
    const printed = inspect(error, { depth: 10, showHidden: true });
    expect(printed).not.toContain(secret);
    expect(printed).not.toContain(serverUrl.port);
  });

  it.each(["", "mysql://ashlar:s3cret@host/ashlar", "ashlar:s3cret@host"])(
    "are thrown before connecting if the URL is invalid (%j)",
    async (url) => {
      expect(inspect(await failure(async () => open(url)))).toMatch(/postgresql:\/\/user:password@host:port\/name/);
    },
  );

  it("keep the code of a failed statement", async () => {
    expect(await failure(() => testDatabase.database.query("SELECT * FROM missing"))).toMatchObject({ code: "42P01" });
  });

  it("are replaced if they contain the password", async () => {
    const error = await failure(() => testDatabase.database.query(`SELECT '${password}'::boolean`));
    expect(inspect(error)).not.toContain(password);
    expect(inspect(error)).toContain("22P02"); // invalid_text_representation
  });
});
