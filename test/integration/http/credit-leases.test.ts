import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKeys } from "../../../runtime/http/keys.ts";
import { createLeaseStore } from "../../../runtime/http/quota/lease-store.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(() => testDatabase.drop());

const day = "2026-11-23";
const noCharges = { all: 0, day: 0, month: 0 };
const createStores = (count: number) => Array.from({ length: count }, () => createLeaseStore(testDatabase.database, randomUUID()));
const createKeyWithQuota = (dayQuotaHundredths: number) =>
  createKeys(testDatabase.database).create({ label: "leases", dayQuotaHundredths });
const expire = (keyId: number) =>
  testDatabase.database.query("UPDATE credit_leases SET expires_at = now() - interval '1 second' WHERE key_id = $1", [keyId]);

describe("quota leases", () => {
  it("never exceed the quota in total, even if servers take them concurrently", async () => {
    const { id: keyId } = await createKeyWithQuota(1000);
    const leases = await Promise.all(createStores(8).map((store) => store.take({ keyId, pending: noCharges, wanted: 1000, day })));
    // Each lease is half of the remaining quota: 500, 250, 125, then 63 of 125, 31 of 62, 16 of 31, 8 of 15, 4 of 7.
    expect(leases.map((lease) => lease?.granted ?? 0).sort((left, right) => right - left)).toEqual([500, 250, 125, 63, 31, 16, 8, 4]);
    expect(leases.map((lease) => lease?.remaining.day ?? 0).sort((left, right) => left - right)[0]).toBe(3);
  });

  it("are available to other servers once they expire or are returned", async () => {
    const { id: keyId } = await createKeyWithQuota(100);
    const [first, second, third] = createStores(3);
    await first?.take({ keyId, pending: noCharges, wanted: 50, day });
    expect(await second?.take({ keyId, pending: noCharges, wanted: 100, day })).toMatchObject({ granted: 25, remaining: { day: 25 } });
    await expire(keyId);
    expect(await third?.take({ keyId, pending: noCharges, wanted: 50, day })).toMatchObject({ granted: 50, remaining: { day: 50 } });
    await third?.release();
    expect(await first?.take({ keyId, pending: noCharges, wanted: 50, day })).toMatchObject({ granted: 50, remaining: { day: 50 } });
  });

  it("replace the server's previous lease, and account for its pending charges", async () => {
    const { id: keyId } = await createKeyWithQuota(100);
    const [first, second] = createStores(2);
    await first?.take({ keyId, pending: noCharges, wanted: 10, day });
    expect(await first?.take({ keyId, pending: { all: 10, day: 10, month: 10 }, wanted: 20, day })).toMatchObject({
      granted: 20,
      remaining: { day: 70, month: null },
    });
    // Half of 100 - 10 pending - 20 leased.
    expect(await second?.take({ keyId, pending: noCharges, wanted: 100, day })).toMatchObject({ granted: 35, remaining: { day: 35 } });
  });

  it("are not reduced by pending charges from the previous day", async () => {
    const { id: keyId } = await createKeyWithQuota(100);
    const pending = { all: 60, day: 0, month: 60 };
    expect(await createStores(1)[0]?.take({ keyId, pending, wanted: 100, day })).toMatchObject({ granted: 50, remaining: { day: 50 } });
  });

  it("are not granted to keys without quotas", async () => {
    const { id: keyId } = await createKeys(testDatabase.database).create({ label: "unlimited" });
    expect(await createStores(1)[0]?.take({ keyId, pending: noCharges, wanted: 100, day })).toBe(null);
  });
});
