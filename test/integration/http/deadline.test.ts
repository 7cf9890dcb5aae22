import { once } from "node:events";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase, type Database } from "../../../runtime/database/database.ts";
import { until } from "../../support/until.ts";
import { errorEnvelope, type Harness, startHarness } from "./harness.ts";

/** Short enough for a test, but longer than connecting to the database takes on a busy machine. */
const requestMilliseconds = 1_500;
const path = "/v1/demo/block_v2/1/";

let harness: Harness;
/** A pool with one connection, so that a leaked connection blocks the next statement. */
let database: Database;
let work: () => Promise<unknown>;

beforeAll(async () => {
  harness = await startHarness({ getBlock: () => work() }, { limits: { requestMilliseconds } });
  database = createDatabase({
    url: harness.testDatabase.url,
    poolSize: 1,
    statementTimeoutMilliseconds: 0,
    applicationName: "deadline-test",
  });
  return async () => {
    await database.close();
    await harness.end();
  };
});

/** The number of statements that the pool is running. */
const runningStatements = async (): Promise<number> => {
  const [row] = await harness.testDatabase.database.query<{ count: number }>(
    "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'deadline-test' AND state <> 'idle' AND datname = current_database()",
  );
  return row?.count ?? 0;
};
const sleepInDatabase = () => database.query("SELECT pg_sleep(60) WHERE $1 = 1", [1]);

describe("a request with a slow statement", () => {
  it("receives 503 at its deadline, and the statement is cancelled", async () => {
    work = sleepInDatabase;
    const start = performance.now();
    const response = await harness.get(path);
    expect(performance.now() - start).toBeGreaterThanOrEqual(requestMilliseconds - 10);
    expect(response.status).toBe(503);
    expect(response.headers["retry-after"]).toBe("5");
    expect(response.body).toEqual(
      errorEnvelope(
        503,
        `Request timeout: the request exceeded ${requestMilliseconds} ms (limits.requestMilliseconds); request fewer items or a smaller range.`,
      ),
    );
    await until("the statement to be cancelled", async () => (await runningStatements()) === 0);
  });

  it("releases the connection to later requests without cancelling their statements", async () => {
    work = sleepInDatabase;
    const [first] = await Promise.all([harness.get(path), until("the statement to run", async () => (await runningStatements()) === 1)]);
    expect(first.status).toBe(503);
    const readPid = () => database.query<{ pid: number }>("SELECT pg_backend_pid() AS pid, pg_sleep(0.05 * $1)", [1]);
    const [before] = await readPid();
    for (let round = 0; round < 3; round += 1) {
      work = async () => ({ height: (await readPid())[0]?.pid });
      expect((await harness.get(path)).body.data).toEqual({ height: before?.pid });
    }
  });

  it("has its statement cancelled and its transaction rolled back", async () => {
    work = () =>
      database.transaction(async (client) => {
        await client.query("CREATE TABLE IF NOT EXISTS left_over (value int4)");
        await client.query("SELECT pg_sleep(60)");
      });
    expect((await harness.get(path)).status).toBe(503);
    await until("the transaction to end", async () => (await runningStatements()) === 0);
    expect(await database.query("SELECT to_regclass('left_over') AS found WHERE $1 = 1", [1])).toEqual([{ found: null }]);
  });

  it("stops waiting for a connection at its deadline", async () => {
    let end: () => void = () => undefined;
    const held = database.transaction(
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
    work = () => database.query("SELECT $1::int4", [1]);
    expect((await harness.get(path)).status).toBe(503);
    end();
    await held;
    work = async () => ({ height: (await database.query<{ one: number }>("SELECT $1::int4 AS one", [1]))[0]?.one });
    expect((await harness.get(path)).body.data).toEqual({ height: 1 });
  });
});

describe("a client that disconnects", () => {
  const startServer = () => {
    const http = createServer(harness.listener);
    http.listen(0, "127.0.0.1");
    return http;
  };
  let http: ReturnType<typeof startServer>;
  beforeAll(async () => {
    http = startServer();
    await once(http, "listening");
  });
  afterAll(() => void http.close());

  it("has its statement cancelled long before the deadline", async () => {
    let abortedAfter = Number.POSITIVE_INFINITY;
    work = async () => {
      const start = performance.now();
      await sleepInDatabase().finally(() => {
        abortedAfter = performance.now() - start;
      });
    };
    const { port } = http.address() as AddressInfo;
    const request = get({ port, host: "127.0.0.1", path, headers: { authorization: `Bearer ${harness.key}` } });
    request.on("error", () => undefined);
    await until("the statement to run", async () => (await runningStatements()) === 1);
    request.destroy();
    await until("the statement to be cancelled", async () => (await runningStatements()) === 0);
    expect(abortedAfter).toBeLessThan(requestMilliseconds);
    expect(harness.lines.some((line) => line.includes('"level":50'))).toBe(false);
  });
});
