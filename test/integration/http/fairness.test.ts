import { connect } from "node:net";
import { pino } from "pino";
import supertest from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../../../runtime/app.ts";
import { configSchema } from "../../../runtime/config/config.ts";
import { createDatabase, type Database } from "../../../runtime/database/database.ts";
import { generateKey } from "../../../runtime/http/keys.ts";
import { createServer, serverLimits } from "../../../runtime/http/server.ts";
import { sleep } from "../../../runtime/lib/async.ts";
import { until } from "../../support/until.ts";
import { errorEnvelope, type Harness, startHarness } from "./harness.ts";

const path = "/v1/demo/block_v2/1/";
const concurrencyMessage = "Concurrent request limit exceeded (limits.concurrentRequests); retry in 1 second.";

/** Work that ends when the test calls `endAll`. */
function createManualWork() {
  const ends: (() => void)[] = [];
  return {
    running: () => ends.length,
    run: () =>
      new Promise<object>((resolve) => {
        ends.push(() => resolve({ height: 1 }));
      }),
    endAll: () => {
      for (const end of ends.splice(0)) end();
    },
  };
}

describe("requests with one key", () => {
  const work = createManualWork();
  let harness: Harness;
  let database: Database;
  let resolveBlock: () => Promise<object> = work.run;
  const sleepInDatabase = () => database.query("SELECT pg_sleep(60) WHERE $1 = 1", [1]);
  beforeAll(async () => {
    harness = await startHarness(
      { getBlock: () => resolveBlock() },
      { limits: { concurrentRequests: 2, databaseSecondsPerMinute: 1, requestMilliseconds: 2_500 } },
    );
    database = createDatabase({
      url: harness.testDatabase.url,
      poolSize: 1,
      statementTimeoutMilliseconds: 0,
      applicationName: "fairness-test",
    });
  });
  afterAll(async () => {
    await database.close();
    await harness.end();
  });
  const send = (key: string) => harness.withoutKey().get(path).set("Authorization", `Bearer ${key}`);

  it("are limited in number until they end, without affecting other keys", async () => {
    const firstStatuses = [harness.get(path), harness.get(path)].map((request) => request.then(({ status }) => status));
    await until("two requests to run", async () => work.running() === 2);
    const refused = await harness.get(path);
    expect([refused.status, refused.body]).toEqual([429, errorEnvelope(429, concurrencyMessage)]);
    expect(refused.headers).toMatchObject({
      "retry-after": "1",
      "ratelimit-policy": '"concurrentRequests";q=2, "databaseSecondsPerMinute";q=1;w=60',
      ratelimit: '"concurrentRequests";r=0, "databaseSecondsPerMinute";r=1',
    });
    const other = await harness.keys.create({ label: "other", limits: { concurrentRequests: 1, databaseSecondsPerMinute: "unlimited" } });
    const third = send(other.key).then((response) => response);
    await until("the other key's request to run", async () => work.running() === 3);
    work.endAll();
    expect(await Promise.all(firstStatuses)).toEqual([200, 200]);
    const { status, headers } = await third;
    expect([status, headers["ratelimit-policy"], headers.ratelimit]).toEqual([200, '"concurrentRequests";q=1', '"concurrentRequests";r=0']);
  });

  it("end with their connection, including pipelined requests that wait for an earlier one", async () => {
    const http = createServer(harness.listener, serverLimits);
    const { port } = await http.listen(0, "127.0.0.1");
    const request = `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${harness.key}\r\n\r\n`;
    const socket = connect(port, "127.0.0.1", () => socket.write(request + request));
    await until("both requests to run", async () => work.running() === 2);
    socket.destroy();
    resolveBlock = async () => ({ height: 1 });
    // The limit is 2: a request that runs alone leaves 1.
    const remaining = async () => (await harness.get(path)).headers.ratelimit ?? "";
    await until("both requests to end", async () => (await remaining()).startsWith('"concurrentRequests";r=1,'));
    work.endAll();
    await http.stop();
  });

  it("are limited in database time, including the time of requests that time out", async () => {
    resolveBlock = sleepInDatabase;
    expect((await harness.get(path)).status).toBe(503);
    resolveBlock = async () => ({ height: 1 });
    let last = await harness.get(path);
    await until("the statement to be counted", async () => {
      last = await harness.get(path);
      return last.status === 429;
    });
    expect(last.body.error_message).toMatch(/^Database time limit exceeded \(limits\.databaseSecondsPerMinute\); retry in \d+ seconds\.$/);
    // The request used 2.5 s of 1 s per minute; the excess of 1.5 s drains in 90 s.
    expect(Number(last.headers["retry-after"])).toBeGreaterThan(60);
  });
});

describe("more requests than the server processes", () => {
  it("do not delay requests for another database", async () => {
    const work = createManualWork();
    let database = 0;
    const harness = await startHarness({ getBlock: work.run }, { capacities: [1, 1], capacityOf: () => database });
    try {
      const pending = [1, 2].map(() => harness.get(path).then(({ status }) => status));
      await until("a request to run", async () => work.running() === 1);
      database = 1;
      pending.push(harness.get(path).then(({ status }) => status));
      await until("the request for the other database to run", async () => work.running() === 2);
      work.endAll();
      await until("the waiting request to run", async () => work.running() > 0);
      work.endAll();
      expect(await Promise.all(pending)).toEqual([200, 200, 200]);
    } finally {
      work.endAll();
      await harness.end();
    }
  });

  it("wait if the queue has space, and receive 503 immediately if it is full", async () => {
    const work = createManualWork();
    const harness = await startHarness({ getBlock: work.run }, { capacities: [2], limits: { waitingRequests: 1 } });
    try {
      const pending = [1, 2, 3].map(() => harness.get(path).then(({ status }) => status));
      await until("two requests to run", async () => work.running() === 2);
      const statuses = new Set<number>();
      let refused: supertest.Response | undefined;
      await until("a request to be refused", async () => {
        refused = await Promise.race([harness.get(path), sleep(200).then(() => undefined)]);
        return refused !== undefined;
      });
      expect([refused?.status, refused?.headers["retry-after"], refused?.body]).toEqual([
        503,
        "1",
        errorEnvelope(503, "Server overloaded: too many requests are waiting; retry in 1 second."),
      ]);
      work.endAll();
      await until("the waiting request to run", async () => work.running() > 0);
      work.endAll();
      for (const status of await Promise.all(pending)) statuses.add(status);
      expect([...statuses]).toEqual([200]);
    } finally {
      await harness.end();
    }
  });
});

describe("key lookups and health checks", () => {
  it("do not wait for connections that responses use", async () => {
    const harness = await startHarness({});
    const database = createDatabase({
      url: harness.testDatabase.url,
      poolSize: 1,
      statementTimeoutMilliseconds: 0,
      applicationName: "fairness-test",
    });
    const http = createApp({
      config: configSchema.parse({}),
      chains: [],
      database,
      control: harness.testDatabase.database,
      logger: pino({ level: "silent" }),
    });
    let end: () => void = () => undefined;
    const held = database.transaction(
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
    try {
      expect((await supertest(http.listener).get("/readyz")).status).toBe(200);
      expect((await supertest(http.listener).get("/v1/chains/").set("Authorization", `Bearer ${generateKey()}`)).status).toBe(401);
      expect((await supertest(http.listener).get("/v1/chains/").set("Authorization", `Bearer ${harness.key}`)).status).toBe(200);
    } finally {
      end();
      await held;
      await http.close();
      await database.close();
      await harness.end();
    }
  });
});
