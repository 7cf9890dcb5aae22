import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { probeCapabilities } from "../../../runtime/chain/capabilities.ts";
import { createRpc } from "../../../runtime/chain/rpc.ts";
import { createSource, type Source } from "../../../runtime/chain/source.ts";
import { createAllowanceJobs } from "../../../runtime/domains/approvals/jobs/read-allowances/jobs.ts";
import { approvalsProjection } from "../../../runtime/domains/approvals/projection/index.ts";
import { createMetadataWorker } from "../../../runtime/domains/nft-metadata/jobs/fetch/worker.ts";
import { createReconciliationJobs } from "../../../runtime/domains/tokens/jobs/reconcile-balances/jobs.ts";
import { tokensProjection } from "../../../runtime/domains/tokens/projection/index.ts";
import { tokenMetadataRead } from "../../../runtime/domains/tokens/projection/reads-metadata.ts";
import { createChainScheduler } from "../../../runtime/jobs/chain-scheduler.ts";
import type { Job } from "../../../runtime/jobs/job.ts";
import { createNodeReads } from "../../../runtime/jobs/node-reads.ts";
import type { Address } from "../../../runtime/lib/hex.ts";
import { artifacts, call, startTestChain, type TestChain, type TestTransaction } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { chainOf, createTestIndexer, runInBackground, type TestIndexer } from "../../support/indexer/support.ts";
import { multicallAddress, multicallCode } from "../../support/multicall.ts";
import { refuseAllCalls, refuseContract } from "../../support/poison-proxy.ts";
import { type RpcProxy, startRpcProxy } from "../../support/rpc-proxy.ts";
import { until } from "../../support/until.ts";

const chainId = 31337;
const logger = { info: () => undefined, warn: () => undefined };

let chain: TestChain;
let proxy: RpcProxy;
let source: Source;
let closeRpc: () => Promise<void>;
let test: TestDatabase;
let now: Date;
/** Functions that stop what a test has started. */
let cleanups: (() => Promise<void>)[];

let [alice, bob]: [Address, Address] = ["0x", "0x"];
let [coin, poisonCoin, collection, poisonCollection]: [Address, Address, Address, Address] = ["0x", "0x", "0x", "0x"];
/** The first block after the mints, at which some indexes start. */
let startBlock: number;

const mine = async (...transactions: readonly TestTransaction[]) => {
  await chain.send(...transactions);
  await chain.mine();
};

beforeAll(async () => {
  chain = await startTestChain();
  await chain.rpc("anvil_setCode", [multicallAddress, await multicallCode(chain)]);
  [alice, bob] = chain.accounts as [Address, Address, ...Address[]];
  const [erc20, erc721] = [artifacts.erc20(), artifacts.erc721()];
  coin = await chain.deploy(erc20, ["Gold", "GLD"]);
  poisonCoin = await chain.deploy(erc20, ["Arsenic", "ARS"]);
  collection = await chain.deploy(erc721, ["Cards", "CARD", "https://cards.example/"]);
  poisonCollection = await chain.deploy(erc721, ["Toadstools", "TOAD", "https://toadstools.example/"]);
  const [coins, collections] = [
    [coin, poisonCoin],
    [collection, poisonCollection],
  ];
  await mine(
    ...coins.map((token) => call(erc20, token, "mint", [alice, 100n])),
    ...collections.map((token) => call(erc721, token, "mint", [alice])),
  );
  startBlock = (await chain.head()) + 1;
  await mine(
    ...coins.map((token) => ({ from: alice, ...call(erc20, token, "transfer", [bob, 30n]) })),
    ...collections.map((token) => ({ from: alice, ...call(erc721, token, "transferFrom", [alice, bob, 0n]) })),
  );
  proxy = await startRpcProxy(chain.url);
  const rpc = createRpc({ url: proxy.url, retries: 2, backOffMilliseconds: 1 });
  source = createSource(rpc, await probeCapabilities(rpc), { tracing: false, waitMilliseconds: 1 });
  closeRpc = () => rpc.close();
});
beforeEach(async () => {
  test = await createTestDatabase();
  now = new Date("2026-01-01T00:00:00Z");
  cleanups = [];
});
afterEach(async () => {
  proxy.intercept = null;
  proxy.tamper = null;
  for (const end of cleanups) await end();
  await test.drop();
});
afterAll(async () => {
  await closeRpc?.();
  await proxy?.close();
  await chain?.stop();
});

const rowsOf = <Row extends object>(statement: string) => test.database.query<Row>(statement);

const startIndexer = async (options: Parameters<typeof createTestIndexer>[2] = {}): Promise<TestIndexer> => {
  const testIndexer = await createTestIndexer(proxy.url, test.database, options);
  cleanups.push(runInBackground(testIndexer));
  return testIndexer;
};
const waitForHead = async ({ indexer }: TestIndexer) => {
  const head = await chain.head();
  await until("the index to reach the head", () => indexer.status().following && indexer.status().block === head);
};
const schedulerOf = (testIndexer: TestIndexer, jobs: readonly Job[]) =>
  createChainScheduler({
    chainName: "test",
    chainId,
    database: test.database,
    source: testIndexer.source,
    jobs,
    multicall: multicallAddress,
    runExclusive: testIndexer.indexer.runExclusive,
    runExclusiveKeepingCache: testIndexer.indexer.runExclusiveKeepingCache,
    isReady: () => testIndexer.indexer.status().leading,
    clock: () => now,
    logger,
  });

describe("the job for node_reads", () => {
  const startReads = async () => {
    await test.database.query(
      "INSERT INTO node_reads (chain_id, kind, key, block_number) SELECT $1, 'token-metadata', decode(a, 'hex'), 1 FROM unnest($2::text[]) a",
      [chainId, [coin, poisonCoin, collection].map((address) => address.slice(2))],
    );
    now = new Date(Date.now() + 60_000);
    return createNodeReads({
      chainId,
      chainName: "test",
      database: test.database,
      source,
      reads: [tokenMetadataRead],
      multicall: multicallAddress,
      clock: () => now,
      logger,
    });
  };
  const queued = () => rowsOf<{ key: Address; attempts: number; run_after: Date }>("SELECT key, attempts, run_after FROM node_reads");
  const names = async () =>
    (await rowsOf<{ name: string | null }>("SELECT name FROM token_metadata ORDER BY name")).map(({ name }) => name);

  it("reads the other tokens if the node fails the calls of one contract, and stores that contract's metadata as unknown after the last attempt", async () => {
    const reads = await startReads();
    refuseContract(proxy, poisonCoin);
    await reads.runDue();
    expect(await names()).toEqual(["Cards", "Gold"]);
    for (let attempts = 1; attempts < 8; attempts += 1) {
      const [entry] = await queued();
      expect(entry).toMatchObject({ key: poisonCoin, attempts });
      now = entry?.run_after ?? now;
      await reads.runDue();
    }
    expect(await queued()).toEqual([]);
    expect(await names()).toEqual(["Cards", "Gold", null]);
  });

  it("counts no attempt and stores nothing while the node refuses all calls", async () => {
    const reads = await startReads();
    refuseAllCalls(proxy);
    await reads.runDue();
    expect((await queued()).map(({ attempts }) => attempts)).toEqual([0, 0, 0]);
    expect(await names()).toEqual([]);
    proxy.intercept = null;
    now = new Date(now.getTime() + 60_000);
    await reads.runDue();
    expect(await names()).toEqual(["Arsenic", "Cards", "Gold"]);
  });
});

describe("the worker for nft_reads", () => {
  const startWorker = async () => {
    const testIndexer = await startIndexer();
    await waitForHead(testIndexer);
    await test.database.query(
      `INSERT INTO nft_reads (chain_id, token, token_id, standard, block_number, run_after)
       SELECT $1, decode(a, 'hex'), 0, 2, $3, '2020-01-01' FROM unnest($2::text[]) a`,
      [chainId, [collection, poisonCollection].map((address) => address.slice(2)), startBlock - 1],
    );
    return createMetadataWorker({
      chainId,
      chainName: "test",
      database: test.database,
      source,
      multicall: multicallAddress,
      readDocument: async (url) => ({ ok: false, refusal: `Not found: ${url}`, isPermanent: true }),
      clock: () => now,
      nfts: { metadata: "cached", fetchesAtOnce: 4, fetchMilliseconds: 1_000, documentBytes: 1_000 },
      logger,
      pauseMilliseconds: 5,
    });
  };
  const queued = () => rowsOf("SELECT token, attempts, problem FROM nft_reads");

  it("reads the other tokens if the node fails the calls of one contract, and counts an attempt for that contract", async () => {
    const worker = await startWorker();
    refuseContract(proxy, poisonCollection);
    await worker.drain();
    expect(await queued()).toEqual([
      { token: poisonCollection, attempts: 1, problem: "The node returned no result for the contract call." },
    ]);
    expect(await rowsOf("SELECT token, token_url FROM nft_metadata")).toEqual([
      { token: collection, token_url: "https://cards.example/0" },
    ]);
    proxy.intercept = null;
    now = new Date(now.getTime() + 60_000);
    await worker.drain();
    expect(await queued()).toEqual([]);
  });

  it("counts no attempt and stores nothing while the node refuses all calls", async () => {
    const worker = await startWorker();
    refuseAllCalls(proxy);
    await expect(worker.drain()).rejects.toThrow("HTTP status 504");
    expect(await rowsOf("SELECT attempts FROM nft_reads")).toEqual([{ attempts: 0 }, { attempts: 0 }]);
    expect(await rowsOf("SELECT FROM nft_metadata")).toEqual([]);
  });
});

describe("the job for allowance reads", () => {
  const startReads = async () => {
    const testIndexer = await startIndexer({ projections: [tokensProjection, approvalsProjection] });
    await waitForHead(testIndexer);
    // Both contracts return 0.
    await test.database.query(
      "INSERT INTO allowances SELECT $1, decode(o, 'hex'), decode(t, 'hex'), decode(o, 'hex'), $4, $4, 0, 0, 9 FROM unnest($2::text[], $3::text[]) AS k(o, t)",
      [chainId, [alice, alice].map((address) => address.slice(2)), [coin, poisonCoin].map((address) => address.slice(2)), startBlock],
    );
    await test.database.query(
      "INSERT INTO allowance_reads SELECT chain_id, owner, token, since_block, NULL::int8, NULL::bytea, 0 FROM allowances",
    );
    return schedulerOf(testIndexer, createAllowanceJobs());
  };
  const attempts = () =>
    rowsOf<{ token: Address; attempts: number }>("SELECT token, attempts FROM allowance_reads WHERE read_at_block IS NULL");
  const amounts = async () =>
    Object.fromEntries(
      (await rowsOf<{ token: Address; amount: string }>("SELECT token, amount FROM allowances")).map(({ token, amount }) => [
        token,
        amount,
      ]),
    );

  it("reads the other tokens if the node fails the calls of one contract, and counts attempts for that contract, even if it is the only one left", async () => {
    const scheduler = await startReads();
    refuseContract(proxy, poisonCoin);
    await scheduler.runDue();
    expect(await amounts()).toEqual({ [coin]: "0", [poisonCoin]: "9" });
    expect(await attempts()).toEqual([{ token: poisonCoin, attempts: 1 }]);
    now = new Date(now.getTime() + 3_600_000);
    await scheduler.runDue();
    expect(await attempts()).toEqual([{ token: poisonCoin, attempts: 2 }]);
    proxy.intercept = null;
    now = new Date(now.getTime() + 2 * 3_600_000);
    await scheduler.runDue();
    expect(await amounts()).toEqual({ [coin]: "0", [poisonCoin]: "0" });
  });

  it("counts no attempt and stores nothing while the node refuses all calls", async () => {
    const scheduler = await startReads();
    refuseAllCalls(proxy);
    await scheduler.runDue();
    expect(await amounts()).toEqual({ [coin]: "9", [poisonCoin]: "9" });
    expect((await attempts()).map((row) => row.attempts)).toEqual([0, 0]);
  });
});

describe("an indexer that reads contract standards", () => {
  const standards = () =>
    rowsOf<{ address: Address; is_collection: boolean; read_at_block: number | null }>(
      "SELECT address, is_collection, read_at_block FROM contract_standards",
    );

  it("reads the other standards if the node fails the calls of one contract, and indexes that contract by the form of its logs after the last attempt", async () => {
    refuseContract(proxy, poisonCollection);
    const testIndexer = await startIndexer();
    await waitForHead(testIndexer);
    const rows = await standards();
    expect(rows.find(({ address }) => address === collection)).toMatchObject({ is_collection: true, read_at_block: startBlock - 1 });
    expect(rows.find(({ address }) => address === poisonCollection)).toMatchObject({ is_collection: false, read_at_block: null });
    expect(testIndexer.warnings.join()).toContain(poisonCollection);
  });

  it("stores nothing while the node refuses all calls", async () => {
    const refusals = refuseAllCalls(proxy);
    const testIndexer = await startIndexer();
    await until("failed reads", () => testIndexer.warnings.length >= 2);
    expect(refusals.count).toBeGreaterThan(0);
    expect(await standards()).toEqual([]);
    proxy.intercept = null;
    await waitForHead(testIndexer);
    expect((await standards()).map(({ is_collection }) => is_collection)).toEqual([true, true]);
  });
});

describe("an indexer that reads base balances", () => {
  const startAfterMints = () => startIndexer({ chain: chainOf({ from: startBlock }) });
  const balances = async (token: Address) =>
    Object.fromEntries(
      (
        await test.database.query<{ owner: Address; balance: string | null }>(
          "SELECT owner, balance FROM balances WHERE token = decode($1, 'hex')",
          [token.slice(2)],
        )
      ).map(({ owner, balance }) => [owner, balance]),
    );

  it("stores the balances of a contract as unknown if the node fails all attempts to read them, and reads them later", async () => {
    refuseContract(proxy, poisonCoin);
    const testIndexer = await startAfterMints();
    await waitForHead(testIndexer);
    expect(await balances(coin)).toEqual({ [alice]: "70", [bob]: "30" });
    expect(await balances(poisonCoin)).toEqual({ [alice]: null, [bob]: null });
    const unread = await rowsOf<{ key: string; reverted: boolean }>("SELECT key, reverted FROM base_reads WHERE value IS NULL");
    expect(unread.map(({ key, reverted }) => [key.slice(0, 42), reverted])).toEqual([
      [poisonCoin, false],
      [poisonCoin, false],
    ]);
    proxy.intercept = null;
    const scheduler = schedulerOf(testIndexer, createReconciliationJobs());
    for (let count = 0; count < 20 && (await scheduler.runDue()); count += 1);
    expect(await balances(poisonCoin)).toEqual({ [alice]: "70", [bob]: "30" });
    expect(await rowsOf("SELECT FROM base_reads WHERE value IS NULL")).toEqual([]);
  });

  it("stores nothing while the node refuses all calls", async () => {
    refuseAllCalls(proxy);
    const testIndexer = await startAfterMints();
    await until("failed reads", () => testIndexer.warnings.length >= 2);
    expect(await rowsOf("SELECT FROM base_reads")).toEqual([]);
    proxy.intercept = null;
    await waitForHead(testIndexer);
    expect(await balances(poisonCoin)).toEqual({ [alice]: "70", [bob]: "30" });
  });

  it("stores nothing while the node returns no balances", async () => {
    // The node's capabilities are probed before its replies are changed.
    const testIndexer = await createTestIndexer(proxy.url, test.database, { chain: chainOf({ from: startBlock }) });
    proxy.tamper = (method, reply) => {
      if (method !== "eth_getBalance") return;
      delete reply.result;
      reply.error = { code: -32603, message: "internal error" };
    };
    cleanups.push(runInBackground(testIndexer));
    await until("failed reads", () => testIndexer.warnings.length >= 2);
    expect(testIndexer.warnings[0]).toMatch(
      /^Indexing test failed, retrying in [\d.]+ s: The node returned no result for eth_getBalance at its head, block \d+\.$/,
    );
    expect(await rowsOf("SELECT FROM base_reads")).toEqual([]);
    proxy.tamper = null;
    await waitForHead(testIndexer);
    expect(await rowsOf("SELECT FROM base_reads WHERE value IS NULL")).toEqual([]);
  });
});
