import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Operation } from "../../../generated/operations.gen.ts";
import { configSchema } from "../../../runtime/config/config.ts";
import { costOf, renderCredits } from "../../../runtime/http/credits.ts";
import { createRateLimits } from "../../../runtime/http/rate-limits.ts";
import { flushMilliseconds } from "../../../runtime/http/usage-ledger.ts";
import { until } from "../../support/until.ts";
import { errorEnvelope, type Harness, startHarness } from "./harness.ts";

type OperationCost = Pick<Operation, "cost" | "list" | "rows">;
const operationWithCost = (hundredths: number, per: "call" | "item" | "block" | "30-days"): OperationCost => ({
  cost: { hundredths, per },
  list: false,
  rows: "items",
});
const noExtras = { blockCount: 1, extraHundredths: 0 };
const items = (count: number) => ({ items: Array.from({ length: count }, () => ({})) });

describe("the cost of a response", () => {
  it("is constant per call", () => {
    expect(costOf(operationWithCost(1500, "call"), items(3), 30, noExtras)).toBe(1500);
  });

  it("is proportional to the number of rows, and at least 0.01 credits", () => {
    expect(costOf(operationWithCost(10, "item"), items(7), 30, noExtras)).toBe(70);
    expect(costOf(operationWithCost(1, "item"), items(100), 30, noExtras)).toBe(100);
    expect(costOf(operationWithCost(10, "item"), items(0), 30, noExtras)).toBe(1);
    expect(costOf(operationWithCost(10, "item"), { items: null }, 30, noExtras)).toBe(1);
  });

  it("counts the rows of every element if the data is a list", () => {
    const data = [{ prices: [{}, {}] }, { prices: [{}] }];
    expect(costOf({ cost: { hundredths: 5, per: "item" }, list: true, rows: "prices" }, data, 30, noExtras)).toBe(15);
  });

  it("includes each started 30-day period", () => {
    // 2.00 credits for each of ceil(30 / 30), ceil(31 / 30), ceil(1 / 30) and ceil(90 / 30) periods.
    for (const [days, periods] of [
      [30, 1],
      [31, 2],
      [1, 1],
      [90, 3],
    ] as const) {
      expect(costOf(operationWithCost(200, "30-days"), items(1), days, noExtras)).toBe(200 * periods);
    }
  });

  it("includes the resolver's block count and requested extras", () => {
    expect(costOf(operationWithCost(500, "block"), items(0), 30, { blockCount: 12, extraHundredths: 0 })).toBe(6000);
    expect(costOf(operationWithCost(100, "call"), items(0), 30, { blockCount: 1, extraHundredths: 100 })).toBe(200);
  });

  it("is zero if the operation has no cost", () => {
    expect(costOf({ cost: null, list: false, rows: "items" }, items(9), 30, noExtras)).toBe(0);
  });

  it("is formatted with at most two decimals", () => {
    for (let hundredths = 0; hundredths <= 20_000; hundredths++) expect(renderCredits(hundredths)).toMatch(/^\d+(\.\d{1,2})?$/);
    expect([1, 10, 100, 1999, 123456].map(renderCredits)).toEqual(["0.01", "0.1", "1", "19.99", "1234.56"]);
  });
});

describe("the usage ledger", () => {
  let app: Harness;
  beforeAll(async () => {
    app = await startHarness({
      getAllChains: async () => items(2),
      getLogs: async (_request, { chargedQuantities }) => {
        chargedQuantities.blockCount = 3;
        return items(0);
      },
      getLogEventsByAddress: async () => ({ ...items(4), pagination: null }),
    });
  });
  afterAll(() => app.end());
  const address = `0x${"11".repeat(20)}`;
  const usage = (harness: Harness, keyId: number) =>
    harness.testDatabase.database.query<{ operation: string; calls: number; hundredths: number }>(
      "SELECT operation, calls, hundredths FROM credit_usage WHERE key_id = $1 ORDER BY operation",
      [keyId],
    );

  it("stores the cost of each response within a second, summed by endpoint and day", async () => {
    expect((await app.get("/v1/chains/")).headers["x-credits"]).toBe("0.01");
    expect((await app.withoutKey().head("/v1/chains/").set("Authorization", `Bearer ${app.key}`)).headers["x-credits"]).toBe("0.01");
    expect((await app.get("/v1/demo/events/")).headers["x-credits"]).toBe("15");
    expect((await app.get(`/v1/demo/events/address/${address}/`)).headers["x-credits"]).toBe("0.04");
    expect((await app.get("/v1/demo/block_v2/x/")).headers["x-credits"]).toBe("0");
    // A crash loses at most one second's entries. The test waits longer, because the machine may be slow.
    expect(flushMilliseconds).toBeLessThan(1000);
    await until("three entries to be written", async () => (await usage(app, app.keyId)).length === 3);
    expect(await usage(app, app.keyId)).toEqual([
      { operation: "getAllChains", calls: 2, hundredths: 2 },
      { operation: "getLogEventsByAddress", calls: 1, hundredths: 4 },
      { operation: "getLogs", calls: 1, hundredths: 1500 },
    ]);
    expect((await app.keys.list()).find(({ id }) => id === app.keyId)).toMatchObject({ usedHundredths: 1506, calls: 4 });
  });

  it("loses no entries when the server stops", async () => {
    const harness = await startHarness({ getAllChains: async () => items(0) });
    await Promise.all(Array.from({ length: 50 }, () => harness.get("/v1/chains/")));
    await harness.close();
    expect(await usage(harness, harness.keyId)).toEqual([{ operation: "getAllChains", calls: 50, hundredths: 50 }]);
    await harness.end();
  });

  it("retries entries whose write failed, and writes them only once", async () => {
    const harness = await startHarness({ getAllChains: async () => items(0) });
    const { database } = harness.testDatabase;
    await harness.get("/v1/chains/");
    await database.query("ALTER TABLE credit_usage RENAME TO renamed_usage");
    await harness.get("/v1/chains/");
    await until("the warning", async () => harness.lines.join("").includes("Writing credit usage failed, retrying"));
    await harness.get("/v1/chains/");
    await database.query("ALTER TABLE renamed_usage RENAME TO credit_usage");
    await until("three calls to be written", async () => (await usage(harness, harness.keyId))[0]?.calls === 3);
    // If written entries were still pending, the next flush would write them again.
    await harness.get("/v1/chains/");
    await until("the fourth call to be written", async () => ((await usage(harness, harness.keyId))[0]?.calls ?? 0) > 3);
    expect(await usage(harness, harness.keyId)).toEqual([{ operation: "getAllChains", calls: 4, hundredths: 4 }]);
    await harness.end();
  });

  it("causes a 402 once a key's credits are exhausted, even before the usage is written", async () => {
    let elapsed = 0;
    const app = await startHarness({ getAllChains: async () => items(0) }, { clock: { now: () => performance.now() + elapsed } });
    const { id, key } = await app.keys.create({ label: "three calls", creditLimitHundredths: 3 });
    const call = () => app.withoutKey().get("/v1/chains/").query({ key });
    for (let count = 0; count < 3; count++) expect((await call()).status).toBe(200);
    const { status, body } = await call();
    expect(status).toBe(402);
    expect(body).toEqual(errorEnvelope(402, expect.stringContaining("has used its 0.03 credits")));
    await until("the entries to be written", async () => (await usage(app, id))[0]?.calls === 3);
    // The key's lookup is valid for three seconds.
    elapsed = 4_000;
    expect((await call()).status).toBe(402);
    await app.end();
  });
});

describe("a key's rate limit", () => {
  it("is reported in headers, and a 429 states when to retry", async () => {
    // 0.1 requests per second is one in ten seconds.
    const app = await startHarness({ getAllChains: async () => items(0) }, { limits: { requestsPerSecond: 0.1 } });
    const accepted = await app.get("/v1/chains/");
    expect(accepted.status).toBe(200);
    expect(accepted.headers).toMatchObject({ "ratelimit-limit": "1", "ratelimit-remaining": "0", "ratelimit-reset": "10" });
    const { status, headers, body } = await app.get("/v1/chains/");
    expect(status).toBe(429);
    const wait = Number(headers["retry-after"]);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(10);
    expect(headers).toMatchObject({
      "ratelimit-limit": "1",
      "ratelimit-remaining": "0",
      "ratelimit-reset": String(wait),
      "x-credits": "0",
    });
    expect(body).toEqual(
      errorEnvelope(429, expect.stringMatching(/^Rate limit exceeded: 1 request per 10 seconds; retry in \d+ seconds?\.$/)),
    );
    const { key } = await app.keys.create({ label: "other" });
    expect((await app.withoutKey().get("/v1/chains/").query({ key })).status).toBe(200);
    await app.end();
  });

  it("is reset at the end of its window", () => {
    let now = 0;
    const limits = createRateLimits({ requestsPerSecond: 3, burstRequests: 0 }, { now: () => now });
    const windows = Array.from({ length: 4 }, () => limits.countRequest(1));
    expect(windows.map((window) => window?.isExceeded)).toEqual([false, false, false, true]);
    expect(windows.map((window) => window?.remaining)).toEqual([2, 1, 0, 0]);
    now = 1_100;
    expect(limits.countRequest(1)).toMatchObject({ isExceeded: false, remaining: 2, limit: 3 });
  });

  it("accepts a burst of twice the rate in 10 seconds, and no more", () => {
    let now = 0;
    const limits = createRateLimits({ requestsPerSecond: 5, burstRequests: undefined }, { now: () => now });
    const accepted = (requestCount: number) =>
      Array.from({ length: requestCount }, () => limits.countRequest(1)).filter((window) => window?.isExceeded === false).length;
    // 5 for the rate and 10 for the burst; in the next second, only 5 for the rate.
    expect(accepted(20)).toBe(15);
    now = 1_100;
    expect(accepted(20)).toBe(5);
  });

  it("does not affect a local client that reads pages sequentially with the default limits", async () => {
    const { limits: defaults } = configSchema.parse({});
    const app = await startHarness({ getAllChains: async () => items(0) }, { limits: defaults });
    const statuses = new Set<number>();
    for (let page = 0; page < 600; page++) statuses.add((await app.get("/v1/chains/")).status);
    expect([...statuses]).toEqual([200]);
    await app.end();
  });

  it("is absent, like its headers, if configured as unlimited", async () => {
    const app = await startHarness({ getAllChains: async () => items(0) }, { limits: { requestsPerSecond: "unlimited" } });
    const { status, headers } = await app.get("/v1/chains/");
    expect(status).toBe(200);
    expect(Object.keys(headers).filter((name) => name.startsWith("ratelimit"))).toEqual([]);
    await app.end();
  });
});
