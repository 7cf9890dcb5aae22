import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { noKeyLimits } from "../../../runtime/config/key-limits.ts";
import type { Database } from "../../../runtime/database/database.ts";
import { DatabaseUnavailable } from "../../../runtime/database/errors.ts";
import { createKeys } from "../../../runtime/http/keys.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { until } from "../../support/until.ts";
import { errorEnvelope, type Harness, startHarness } from "./harness.ts";

/** Every response costs 0.01 credits: the minimum of an operation that costs credits per item. */
const path = "/v1/chains/";

let testDatabase: TestDatabase;
const servers: Harness[] = [];
let now = new Date("2026-11-23T12:00:00Z");
/** The servers' clock in milliseconds, which determines how long key lookups are cached. */
let elapsed = 1_000;
/** While true, all of the servers' statements fail. */
let isDown = false;

const outageError = () => new DatabaseUnavailable("ECONNREFUSED", "it is down");
const createFlakyDatabase = (): Pick<Database, "query" | "transaction"> => ({
  query: (...statement) => (isDown ? Promise.reject(outageError()) : testDatabase.database.query(...statement)),
  transaction: (work) => (isDown ? Promise.reject(outageError()) : testDatabase.database.transaction(work)),
});

const startServer = async (): Promise<Harness> => {
  const started = await startHarness(
    { getAllChains: async () => ({ items: [] }) },
    { database: createFlakyDatabase(), now: () => now, clock: { now: () => elapsed }, limits: { ...noKeyLimits } },
  );
  servers.push(started);
  return started;
};

let first: Harness;
let second: Harness;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  [first, second] = [await startServer(), await startServer()];
});
afterEach(() => {
  isDown = false;
});
afterAll(async () => {
  for (const started of servers) await started.end();
  await testDatabase.drop();
});

const keys = () => createKeys(testDatabase.database);
const get = (on: Harness, key: string) => on.withoutKey().get(path).set("Authorization", `Bearer ${key}`);
const statusesOf = async (on: Harness, key: string, count: number): Promise<number[]> => {
  const found: number[] = [];
  for (let request = 0; request < count; request += 1) found.push((await get(on, key)).status);
  return found;
};
const leasesOf = (id: number) =>
  testDatabase.database.query<{ hundredths: number }>("SELECT hundredths FROM credit_leases WHERE key_id = $1 ORDER BY hundredths", [id]);
const spentOf = async (id: number): Promise<number> =>
  (
    await testDatabase.database.query<{ spent: number }>(
      "SELECT coalesce(sum(hundredths), 0)::int8 AS spent FROM credit_usage WHERE key_id = $1",
      [id],
    )
  )[0]?.spent ?? 0;

describe("a key's quota", () => {
  it("is spent exactly by sequential requests to one server, which then returns 402 with the reset time", async () => {
    now = new Date("2026-11-23T23:00:00Z");
    const { key } = await keys().create({ label: "day", dayQuotaHundredths: 7 });
    expect(await statusesOf(first, key, 9)).toEqual([...Array(7).fill(200), 402, 402]);
    const { body, headers } = await get(first, key);
    expect(body).toEqual(
      errorEnvelope(
        402,
        "Credit quota exhausted: this key has used its 0.07 credits of this UTC day; the quota is reset at 2026-11-24T00:00:00.000Z.",
      ),
    );
    expect(headers).toMatchObject({
      "retry-after": "3600",
      "ratelimit-policy": '"creditsPerDay";q=0;w=86400',
      ratelimit: '"creditsPerDay";r=0;t=3600',
      "x-credits": "0",
    });
  });

  it("is reset at midnight UTC, or at the end of the month for a monthly quota, without a new lookup", async () => {
    now = new Date("2026-11-29T23:59:59.999Z");
    const { key } = await keys().create({ label: "both", dayQuotaHundredths: 3, monthQuotaHundredths: 5 });
    expect(await statusesOf(first, key, 4)).toEqual([200, 200, 200, 402]);
    expect((await get(first, key)).headers["retry-after"]).toBe("1");
    now = new Date("2026-11-30T00:00:00Z");
    // The monthly quota has 0.02 credits left.
    expect(await statusesOf(first, key, 3)).toEqual([200, 200, 402]);
    const { headers, body } = await get(first, key);
    expect([headers["retry-after"], headers["ratelimit-policy"]]).toEqual(["86400", '"creditsPerMonth";q=0;w=2592000']);
    expect(body.error_message).toContain("of this UTC month; the quota is reset at 2026-12-01T00:00:00.000Z");
    now = new Date("2026-12-01T00:00:00Z");
    expect(await statusesOf(first, key, 4)).toEqual([200, 200, 200, 402]);
  });

  it("takes effect within seconds when it is changed or removed", async () => {
    const { id, key } = await keys().create({ label: "raised", dayQuotaHundredths: 2 });
    expect(await statusesOf(first, key, 3)).toEqual([200, 200, 402]);
    await keys().update(id, { dayQuotaHundredths: 5 });
    elapsed += 4_000;
    expect(await statusesOf(first, key, 4)).toEqual([200, 200, 200, 402]);
    await keys().update(id, { dayQuotaHundredths: "unlimited" });
    elapsed += 4_000;
    expect(await statusesOf(first, key, 4)).toEqual([200, 200, 200, 200]);
    await keys().update(id, { dayQuotaHundredths: 0 });
    elapsed += 4_000;
    expect(await statusesOf(first, key, 1)).toEqual([402]);
  });

  it("is exceeded by two servers by at most one lease each, and is spent completely", async () => {
    const quota = 400;
    const { id, key } = await keys().create({ label: "two servers", dayQuotaHundredths: quota });
    let served = 0;
    const send = async (on: Harness): Promise<void> => {
      // Some requests may receive 503 while a lease is being taken; they cost nothing.
      for (let refused = 0; refused < 3; ) {
        const { status } = await get(on, key);
        if (status === 200) served += 1;
        else if (status === 402) refused += 1;
        else expect(status).toBe(503);
      }
    };
    await Promise.all([first, second, first, second, first, second, first, second].map(send));
    // A lease is 32 times the most expensive response so far (0.01 credits), more than a 50th of the 4 credit quota.
    const lease = 32;
    expect(served).toBeLessThanOrEqual(quota + 2 * lease);
    expect(served).toBeGreaterThanOrEqual(quota - 2 * lease);
    await until("the usage to be written", async () => (await spentOf(id)) === served);
    expect((await leasesOf(id)).length).toBeLessThanOrEqual(2);
  });

  it("is leased in the background, and a server returns the unused part of its lease when it stops", async () => {
    const third = await startServer();
    const { id, key } = await keys().create({ label: "returned", dayQuotaHundredths: 10_000 });
    expect(await statusesOf(third, key, 2)).toEqual([200, 200]);
    await until("a lease", async () => (await leasesOf(id)).length === 1);
    await third.close();
    expect(await leasesOf(id)).toEqual([]);
    expect(await spentOf(id)).toBe(2);
  });

  it("is exceeded beyond a lease by at most half a lease while the database is down; then the response is 503", async () => {
    const { id, key } = await keys().create({ label: "down", dayQuotaHundredths: 10_000 });
    expect(await statusesOf(second, key, 1)).toEqual([200]);
    await until("a lease", async () => (await leasesOf(id)).length === 1);
    await until("the charge to be written", async () => (await spentOf(id)) === 1);
    isDown = true;
    const found = await statusesOf(second, key, 400);
    // The lease is a 50th of the quota.
    const lease = 10_000 / 50;
    const served = found.indexOf(503);
    expect(found.slice(0, served).every((status) => status === 200)).toBe(true);
    expect(found.slice(served).every((status) => status === 503)).toBe(true);
    expect(served + 1).toBeLessThanOrEqual(lease + lease / 2);
    expect(served).toBeGreaterThanOrEqual(lease / 2);
    expect((await get(second, key)).body.error_message).toBe("Credits for this key cannot be reserved at the moment; retry in 1 second.");
    expect(second.lines.join("")).toContain("Leasing credits failed, retrying");
    isDown = false;
    await until("the next lease", async () => (await get(second, key)).status === 200);
  });
});
