import type { Hash } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestChain } from "../../../support/chain.ts";
import { dump } from "../../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import type { ResponseData, TestApi } from "../pools/serve-pools.ts";
import { anna, ben, dora, emptyCall, type IndexedSafes, openIndexedSafes, outsider, removal, sentinel, toLower } from "./indexed-safes.ts";
import { createSafes, ecdsaSignature, joinSignatures, mine } from "./support.ts";

let safes: IndexedSafes;
let chain: TestChain;
let testDatabase: TestDatabase;
let api: TestApi;
beforeAll(async () => {
  safes = await openIndexedSafes();
  ({ chain, testDatabase, api } = safes);
});
afterAll(() => safes?.end());

describe("the details of Safe transactions", () => {
  let createSafe: Awaited<ReturnType<typeof createSafes>>;
  beforeAll(async () => {
    createSafe = await createSafes(chain, "1.4.1");
  });

  it("are the same in all lists, and empty for other transactions", async () => {
    const safe = await createSafe([anna.address], 1);
    const { hash } = await safe.hashOf(emptyCall);
    await mine(chain, { from: dora.address, ...safe.executionTransaction(emptyCall, joinSignatures([await ecdsaSignature(anna, hash)])) });
    await mine(chain, { from: dora.address, to: outsider.address });
    await safes.indexToHead();
    const height = await chain.head();
    const { hash: block, timestamp } = await chain.rpc<{ hash: Hash; timestamp: string }>("eth_getBlockByNumber", [
      `0x${(height - 1).toString(16)}`,
      false,
    ]);
    const bucket = Math.floor(Number(timestamp) / 900);
    const wallet = toLower(dora.address);
    const lists = [
      `block/${height - 1}/transactions_v3/`,
      `block/${height - 1}/transactions_v3/page/0/`,
      `block_hash/${block}/transactions_v3/`,
      `block_hash/${block}/transactions_v3/page/0/`,
      `address/${wallet}/transactions_v3/`,
      `address/${wallet}/transactions_v3/page/0/`,
      `bulk/transactions/${wallet}/`,
    ];
    for (const path of lists) {
      const { items } = await api.get(`week/${path}?with-safe=true&no-logs=true`);
      const details = items.map((item: ResponseData) => item.safe_details);
      expect(details.at(-1), path).toMatchObject([{ owner_address: toLower(anna.address), signature_type: "ecdsa" }]);
      if (details.length > 1) expect(details[0], path).toEqual([]);
    }
    const inBucket = await api.get(`week/bulk/transactions/${wallet}/${bucket}/?with-safe=true`);
    const ofExecution = inBucket.items.find(({ block_height }: ResponseData) => block_height === height - 1);
    expect(ofExecution.safe_details).toMatchObject([{ owner_address: toLower(anna.address), signature_type: "ecdsa" }]);
  });

  it("are null while the projection has not reached the block", async () => {
    const safe = await createSafe([anna.address], 1);
    const { hash } = await safe.hashOf(emptyCall);
    const transaction = await mine(chain, safe.executionTransaction(emptyCall, joinSignatures([await ecdsaSignature(anna, hash)])));
    expect(await safes.detailsOf(transaction)).toHaveLength(1);
    const { query } = testDatabase.database;
    await query("UPDATE projection_checkpoints SET block_number = block_number - 1 WHERE projection = 'safes'");
    expect((await api.get(`week/transaction_v2/${transaction}/?with-safe=true`)).items[0].safe_details).toBeNull();
    await query("UPDATE projection_checkpoints SET block_number = block_number + 1 WHERE projection = 'safes'");
  });

  it("have no owner if the contract's setup is not indexed", async () => {
    const safe = await createSafe([anna.address], 1);
    const { hash } = await safe.hashOf(emptyCall);
    const transaction = await mine(chain, safe.executionTransaction(emptyCall, joinSignatures([await ecdsaSignature(anna, hash)])));
    await safes.indexToHead();
    await testDatabase.database.query("DELETE FROM safe_owners WHERE safe = $1", [Buffer.from(safe.address.slice(2), "hex")]);
    expect(await safes.detailsOf(transaction)).toEqual([["ecdsa", null]]);
  });

  it("match a fresh index after a reorganisation", async () => {
    const safe = await createSafe([anna.address, ben.address], 1);
    await safes.indexToHead();
    const removing = removal(safe, anna.address, sentinel, 1n);
    const { hash } = await safe.hashOf(removing);
    await mine(chain, safe.executionTransaction(removing, joinSignatures([await ecdsaSignature(anna, hash)])));
    await safes.indexToHead();
    await chain.rpc("anvil_reorg", [1, []]);
    const emptyCallHash = (await safe.hashOf(emptyCall)).hash;
    const transaction = await mine(
      chain,
      safe.executionTransaction(emptyCall, joinSignatures([await ecdsaSignature(anna, emptyCallHash)])),
    );
    expect(await safes.detailsOf(transaction)).toEqual([["ecdsa", toLower(anna.address)]]);
    const fresh = await createTestDatabase();
    await safes.indexToHead(fresh);
    const [actual, expected] = [await dump(testDatabase.database), await dump(fresh.database)];
    for (const table of ["safe_executions", "safe_thresholds"]) expect(actual[table], table).toEqual(expected[table]);
    await fresh.drop();
  });
});
