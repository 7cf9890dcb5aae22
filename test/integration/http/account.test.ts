import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../support/until.ts";
import { errorEnvelope, type Harness, startHarness } from "./harness.ts";

let app: Harness;
let now = new Date("2026-11-30T23:00:00Z");
beforeAll(async () => {
  app = await startHarness(
    { getAllChains: async () => ({ items: [] }), getBlock: async () => ({ items: [] }) },
    { now: () => now, limits: { requestsPerSecond: 200 } },
  );
});
afterAll(() => app.end());

const get = (key: string, path = "/account/usage") => app.withoutKey().get(path).set("Authorization", `Bearer ${key}`);
const insertUsage = (id: number, day: string, operation: string, calls: number, hundredths: number) =>
  app.testDatabase.database.query("INSERT INTO credit_usage (key_id, day, operation, calls, hundredths) VALUES ($1, $2, $3, $4, $5)", [
    id,
    day,
    operation,
    calls,
    hundredths,
  ]);

describe("/account/usage", () => {
  it("returns the credits used in the UTC day and month with quotas and resets, in total and by endpoint", async () => {
    const { id, key } = await app.keys.create({ label: "usage", dayQuotaHundredths: 1000, expiresAt: new Date("2027-01-31T00:00:00Z") });
    await insertUsage(id, "2026-10-31", "getBlock", 9, 900);
    await insertUsage(id, "2026-11-01", "getBlock", 2, 20);
    await insertUsage(id, "2026-11-30", "getBlock", 3, 30);
    await insertUsage(id, "2026-11-30", "getAllChains", 5, 5);
    await insertUsage(id, "2026-12-01", "getBlock", 7, 700);
    const { status, body, headers } = await get(key);
    expect([status, headers["x-credits"], headers["ratelimit-limit"]]).toEqual([200, "0", "200"]);
    expect(body).toEqual({
      data: {
        day: { quota: 10, used: 0.35, calls: 8, resets_at: "2026-12-01T00:00:00.000Z" },
        month: { quota: null, used: 0.55, calls: 10, resets_at: "2026-12-01T00:00:00.000Z" },
        expires_at: "2027-01-31T00:00:00.000Z",
        items: [
          { operation: "getAllChains", day_calls: 5, day_credits: 0.05, month_calls: 5, month_credits: 0.05 },
          { operation: "getBlock", day_calls: 3, day_credits: 0.3, month_calls: 5, month_credits: 0.5 },
        ],
      },
      error: false,
      error_message: null,
      error_code: null,
    });
  });

  it("is free, and available even to a key that has used up its quota and is limited to a chain", async () => {
    now = new Date("2026-11-30T23:00:00Z");
    const { id, key } = await app.keys.create({ label: "used up", dayQuotaHundredths: 2, access: { chains: ["demo"] } });
    const block = "/v1/demo/block_v2/1/";
    const before: number[] = [];
    while (before.at(-1) !== 402 && before.length < 5) before.push((await get(key, block)).status);
    expect(before.at(-1)).toBe(402);
    await until("the charges to be written", async () => (await get(key)).body.data.day.used > 0);
    const used = (await get(key)).body.data;
    expect(used.day).toMatchObject({ quota: 0.02, calls: before.length - 1 });
    expect(used.items.map(({ operation }: { operation: string }) => operation)).toEqual(["getBlock"]);
    expect((await app.keys.list()).find((listed) => listed.id === id)).toMatchObject({ calls: before.length - 1 });
  });

  it("requires a valid key, and counts against the rate limit", async () => {
    expect((await app.withoutKey().get("/account/usage")).body).toEqual(errorEnvelope(401, expect.stringContaining("Missing API key")));
    const { key } = await app.keys.create({ label: "address", access: { addresses: ["192.0.2.7"] } });
    expect((await get(key)).status).toBe(403);
    const { key: fast } = await app.keys.create({ label: "fast" });
    expect((await get(fast)).headers["ratelimit-remaining"]).toBe("199");
    expect((await get(fast, "/account/usage/")).status).toBe(200);
    expect((await get(fast, "/account/other")).status).toBe(404);
  });

  it("is included in the served OpenAPI document", async () => {
    const { body } = await app.withoutKey().get("/openapi.json");
    expect(Object.keys(body.paths)).toEqual(["/account/usage"]);
    const { schema } = body.paths["/account/usage"].get.responses["200"].content["application/json"];
    expect(schema.properties.data.required).toEqual(["day", "month", "expires_at", "items"]);
  });
});
