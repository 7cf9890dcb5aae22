import { beforeAll, beforeEach, expect, it } from "vitest";
import { copyStatement } from "../../../runtime/database/copy.ts";
import { createCopyEncoder } from "../../../runtime/database/copy-encoder.ts";
import { createDatabase } from "../../../runtime/database/database.ts";
import { DatabaseUnavailable } from "../../../runtime/database/errors.ts";
import type { PipelinedStatement } from "../../../runtime/database/pipeline.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { startTcpProxy } from "../../support/tcp-proxy.ts";
import { until } from "../../support/until.ts";

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase({ migrated: false });
  await testDatabase.database.query(
    "CREATE TABLE first (n int4 PRIMARY KEY, value text); CREATE TABLE second (n int4 PRIMARY KEY, value text)",
  );
  return testDatabase.drop;
});
beforeEach(() => testDatabase.database.query("TRUNCATE first, second"));

const insert = (n: number, value: string): PipelinedStatement => ({
  text: "INSERT INTO second (n, value) VALUES ($1, $2)",
  values: [String(n), value],
});

const copy = (table: string, rows: readonly (readonly [n: number, value: string])[]): PipelinedStatement => {
  const encoder = createCopyEncoder(table, ["n", "int4", rows[0]?.[0] ?? 0], { value: "text" });
  encoder.add(rows.map(([, value]) => ({ value })));
  return copyStatement(table, encoder.take());
};

const failure = (name: string) => ({ toError: (error: unknown) => new Error(`${name}: ${error instanceof Error ? error.message : ""}`) });

const run = (statements: readonly PipelinedStatement[]): Promise<void> =>
  testDatabase.database.transaction((client) => client.pipeline(statements));
const stored = async (): Promise<unknown[]> => [
  await testDatabase.database.query("SELECT n, length(value) AS length FROM first ORDER BY n"),
  await testDatabase.database.query("SELECT n, length(value) AS length FROM second ORDER BY n"),
];

it("runs statements in order, with parameters and with rows of many megabytes", async () => {
  const long = "x".repeat(9_000_000);
  await run([
    insert(1, "a\\b'c"),
    copy("first", [[1, long]]),
    insert(2, ""),
    { text: "DELETE FROM second WHERE n = 2" },
    copy("second", [[2, "again"]]),
  ]);
  expect(await stored()).toEqual([
    [{ n: 1, length: 9_000_000 }],
    [
      { n: 1, length: 5 },
      { n: 2, length: 5 },
    ],
  ]);
  expect(await testDatabase.database.query("SELECT value FROM second WHERE n = 1")).toEqual([{ value: "a\\b'c" }]);
});

it("accepts an empty list of statements", async () => {
  await run([]);
  expect(await stored()).toEqual([[], []]);
});

it.each<[string, PipelinedStatement, string]>([
  [
    "rows whose key repeats",
    copy("first", [
      [7, "one"],
      [7, "two"],
    ]),
    "duplicate key",
  ],
  ["rows for a table that does not exist", copy("absent", [[1, "one"]]), "does not exist"],
  ["a parameter of the wrong type", { text: "INSERT INTO first (n) VALUES ($1)", values: ["many"] }, "invalid input syntax"],
  ["rows in an invalid format", { text: "COPY first (n, value) FROM STDIN", rows: [Buffer.from("1\n")] }, "missing data"],
])("stops at %s, and throws that statement's error", async (_, failing, message) => {
  const statements = [
    { ...insert(1, "before"), ...failure("before") },
    { ...failing, ...failure("failing") },
    { ...copy("second", [[3, "x".repeat(1_000_000)]]), ...failure("after") },
    { ...insert(2, "after"), ...failure("after") },
  ];
  await expect(run(statements)).rejects.toThrow(new RegExp(`^failing: .*${message}`));
  // The transaction was rolled back, and its connection is still usable.
  await run([insert(4, "later")]);
  expect(await stored()).toEqual([[], [{ n: 4, length: 5 }]]);
});

it("does not attribute the error to a statement if the server ends the connection or the connection is lost", async () => {
  const proxy = await startTcpProxy(testDatabase.url);
  const url = new URL(testDatabase.url);
  [url.hostname, url.port] = ["127.0.0.1", String(proxy.port)];
  const application = "ashlar-pipeline-test";
  const database = createDatabase({ url: url.href, poolSize: 1, statementTimeoutMilliseconds: 0, applicationName: application });
  const sleeping = { text: "SELECT pg_sleep(600)", ...failure("sleeping") };
  const isSleeping = async (): Promise<boolean> => {
    const [row] = await testDatabase.database.query<{ runs: boolean }>(
      "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = $1 AND wait_event = 'PgSleep') AS runs",
      [application],
    );
    return row?.runs === true;
  };
  const terminate = (): Promise<unknown> =>
    testDatabase.database.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", [application]);
  try {
    for (const end of [terminate, async () => proxy.disconnect()]) {
      const running = database.transaction((client) => client.pipeline([sleeping])).catch((error: unknown) => error);
      await until("the statement to run", isSleeping);
      await end();
      expect(await running).toBeInstanceOf(DatabaseUnavailable);
      await terminate();
      await until("the end of the statement", async () => !(await isSleeping()));
    }
  } finally {
    await database.close();
    await proxy.close();
  }
});

it("fails when its connection is closed", async () => {
  const terminated = run([insert(1, "one"), { text: "SELECT pg_terminate_backend(pg_backend_pid())" }, insert(2, "two")]);
  await expect(terminated).rejects.toThrow();
  expect(await stored()).toEqual([[], []]);
});
