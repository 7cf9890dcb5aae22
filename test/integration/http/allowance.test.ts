import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKeyMeter, type KeyMeter } from "../../../runtime/http/key-meter.ts";
import { createKeys, hashKey, type Keys } from "../../../runtime/http/keys.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { until } from "../../support/until.ts";

let testDatabase: TestDatabase;
let keys: Keys;
let meter: KeyMeter;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  keys = createKeys(testDatabase.database);
  const limits = { requestsPerSecond: "unlimited", concurrentRequests: "unlimited", databaseSecondsPerMinute: "unlimited" } as const;
  meter = createKeyMeter({ limits, database: testDatabase.database, logger: pino({ level: "silent" }) });
});
afterAll(async () => {
  await meter.stop();
  await testDatabase.drop();
});

const storedUsageOf = async (keyId: number): Promise<number> => (await keys.list()).find(({ id }) => id === keyId)?.usedHundredths ?? 0;

describe("a key's credits", () => {
  it("include charges that are written between its lookup and its first request", async () => {
    const { id, key } = await keys.create({ label: "between", creditLimitHundredths: 100 });
    meter.charge(id, "getBlock", 100, new Date());
    const found = await keys.find(hashKey(key));
    if (found === null) throw new Error(`Key ${id} was not found.`);
    expect(found.usedHundredths).toBe(0);
    await until("the charge to be written", async () => (await storedUsageOf(id)) === 100);
    expect(await meter.admit(found)).toMatchObject({ exhaustedCredits: "allowance" });
  });

  it("include a charge once, whether it was written before the lookup or is pending", async () => {
    const { id, key } = await keys.create({ label: "before", creditLimitHundredths: 300 });
    meter.charge(id, "getBlock", 100, new Date());
    await until("the charge to be written", async () => (await storedUsageOf(id)) === 100);
    const found = await keys.find(hashKey(key));
    if (found === null) throw new Error(`Key ${id} was not found.`);
    meter.charge(id, "getBlock", 100, new Date());
    expect(await meter.admit(found)).toMatchObject({ exhaustedCredits: null });
    await until("the second charge to be written", async () => (await storedUsageOf(id)) === 200);
    expect(await meter.admit(found)).toMatchObject({ exhaustedCredits: null });
    meter.charge(id, "getBlock", 100, new Date());
    expect(await meter.admit(found)).toMatchObject({ exhaustedCredits: "allowance" });
  });
});
