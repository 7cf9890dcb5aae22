import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { requireDemoDatabase } from "../../../runtime/commands/demo-database.ts";
import { holdDemoKey } from "../../../runtime/commands/demo-key.ts";
import { createKeys, generateKey, hashKey } from "../../../runtime/http/keys.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

let testDatabase: TestDatabase;
beforeEach(async () => {
  testDatabase = await createTestDatabase();
});
afterEach(() => testDatabase.drop());

const chains = [{ id: 31337, name: "demo" }];
const insertChain = (id: number, name: string) =>
  testDatabase.database.query("INSERT INTO chains (chain_id, name, genesis_hash, indexed_from) VALUES ($1, $2, $3, 0)", [
    id,
    name,
    Buffer.alloc(32),
  ]);
const check = (isExternal: boolean) => requireDemoDatabase({ database: testDatabase.database, chains, isExternal });

describe("the demo", () => {
  it("accepts an empty database, and a demo's database that has keys", async () => {
    await check(true);
    await insertChain(31337, "demo");
    await createKeys(testDatabase.database).create({ label: "mine" });
    await check(true);
    await check(false);
  });

  it("refuses a database with other chains, including one that has the demo's id, and names them", async () => {
    await insertChain(1, "eth-mainnet");
    await insertChain(31337, "local");
    const found = /refuses a database with other chains: found eth-mainnet \(1\), local \(31337\); configure your chains in ashlar\.yaml/;
    await expect(check(true)).rejects.toThrow(found);
    await expect(check(false)).rejects.toThrow(found);
  });

  it("refuses an external database with an operator's keys", async () => {
    await createKeys(testDatabase.database).create({ label: "mine" });
    await check(false);
    await expect(check(true)).rejects.toThrow(/refuses a database with API keys: found 1;/);
  });
});

describe("the demo key", () => {
  it("is valid while the demo runs and up to two minutes after it was killed, but not after it has stopped", async () => {
    const key = generateKey();
    const { find } = createKeys(testDatabase.database);
    const end = await holdDemoKey(testDatabase.database, key);
    const expiresIn = ((await find(hashKey(key)))?.expiresAt ?? 0) - Date.now();
    expect(expiresIn).toBeGreaterThan(60_000);
    expect(expiresIn).toBeLessThanOrEqual(120_000);
    await end();
    expect(await find(hashKey(key))).toBeNull();
    const endAgain = await holdDemoKey(testDatabase.database, key);
    expect(await find(hashKey(key))).not.toBeNull();
    await endAgain();
  });
});
