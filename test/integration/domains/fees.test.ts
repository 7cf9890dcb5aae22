import { pino } from "pino";
import supertest from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../../../runtime/app.ts";
import { chainConfigSchema, configSchema } from "../../../runtime/config/config.ts";
import { createKeys } from "../../../runtime/http/keys.ts";
import type { Hash, Hex } from "../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { createTestIndexer } from "../../support/indexer/support.ts";
import { addressOf, type FixtureIndex, openFixtureIndex, transactionHashOf, transactionRow } from "./queries/fixture-index.ts";

// biome-ignore lint/suspicious/noExplicitAny: responses are validated against the catalog; a test reads the fields that it expects
type ResponseData = any;

describe("transaction fees", () => {
  let chain: TestChain;
  let testDatabase: TestDatabase;
  let sender: Hex;
  let plain: Hash;
  let withBlobs: Hash;
  let spent: bigint;
  let get: (path: string) => Promise<ResponseData>;
  let end = async () => {};

  beforeAll(async () => {
    chain = await startTestChain();
    testDatabase = await createTestDatabase();
    sender = chain.accounts[1] as Hex;
    const to = chain.accounts[2];
    const balance = async () => BigInt(await chain.rpc<Hex>("eth_getBalance", [sender, "latest"]));
    const before = await balance();
    const prices = { maxFeePerGas: "0x77359400", maxPriorityFeePerGas: "0x3" };
    plain = await chain.rpc<Hash>("eth_sendTransaction", [{ from: sender, to, gas: "0x5208", value: "0x5", type: "0x2", ...prices }]);
    // Versioned hashes of version 1 (EIP-4844), one per blob; a development node does not require the blobs.
    const blobs = ["1", "2"].map((suffix) => `0x01${suffix.padStart(62, "0")}`);
    const blobTransaction = { from: sender, to, gas: "0x5208", type: "0x3", maxFeePerBlobGas: "0x77359400", blobVersionedHashes: blobs };
    withBlobs = await chain.rpc<Hash>("eth_sendTransaction", [{ ...blobTransaction, ...prices }]);
    await chain.mine();
    spent = before - (await balance()) - 5n;
    const indexer = await createTestIndexer(chain.url, testDatabase.database);
    await indexer.runToHead(await chain.head());
    await indexer.close();
    const { key } = await createKeys(testDatabase.database).create({ label: "test" });
    const settings = { ...chainConfigSchema.parse({ name: "fees", id: 31337, rpc: chain.url }), id: 31337 };
    const logger = pino({ level: "silent" });
    const http = createApp({
      config: configSchema.parse({}),
      chains: [settings],
      database: testDatabase.database,
      logger,
      validate: "strict",
    });
    end = () => http.close();
    get = async (path) => {
      const response = await supertest(http.listener).get(`/v1/fees/${path}`).set("Authorization", `Bearer ${key}`);
      expect(response.status, `${path}: ${response.body.error_message}`).toBe(200);
      return response.body.data;
    };
  });
  afterAll(async () => {
    await end();
    await testDatabase?.drop();
    await chain?.stop();
  });

  const feesOf = async (hash: Hash) => BigInt((await get(`transaction_v2/${hash}/`)).items[0].fees_paid);

  it("equal gas at the effective price plus blob gas at the blob base fee", async () => {
    const receipt = await chain.rpc<Record<string, Hex>>("eth_getTransactionReceipt", [withBlobs]);
    const number = (name: string) => BigInt(receipt[name] as Hex);
    // EIP-4844: 2^17 blob gas per blob.
    expect(number("blobGasUsed")).toBe(2n * 2n ** 17n);
    expect(number("blobGasPrice")).toBeGreaterThan(0n);
    expect(await feesOf(withBlobs)).toBe(number("gasUsed") * number("effectiveGasPrice") + number("blobGasUsed") * number("blobGasPrice"));
  });

  it("add up to the decrease in the sender's balance beyond the value sent, and to the wallet's fee summary", async () => {
    expect((await feesOf(plain)) + (await feesOf(withBlobs))).toBe(spent);
    const summary = await get(`address/${sender}/transactions_summary/?with-gas=true`);
    expect(BigInt(summary.items[0].gas_summary.total_fees_paid)).toBe(spent);
  });
});

describe("the fee of a rollup transaction", () => {
  let index: FixtureIndex;
  beforeAll(async () => {
    index = await openFixtureIndex();
    await index.insertBlocks(0, 1, { 1: 1 });
    // No development node charges an L1 fee, so the row is inserted as if read from a rollup's receipt.
    await index.insert("transactions", [{ ...transactionRow(1, 0, addressOf(1), addressOf(2)), l1_fee: "1234", blob_fee: "500" }]);
    return index.end;
  });

  it("includes the L1 fee", async () => {
    const { data } = await index.get(`/v1/fixture/transaction_v2/${transactionHashOf(1, 0)}/`);
    // 21,000 gas at 2 gwei, an L1 fee of 1,234 wei, and 500 wei for blobs.
    expect(data.items[0].fees_paid).toBe(String(21_000n * 2_000_000_000n + 1_234n + 500n));
  });
});
