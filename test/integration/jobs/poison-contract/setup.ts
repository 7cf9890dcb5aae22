import { probeCapabilities } from "../../../../runtime/chain/capabilities.ts";
import { createRpc } from "../../../../runtime/chain/rpc.ts";
import { createSource, type Source } from "../../../../runtime/chain/source.ts";
import { createChainScheduler } from "../../../../runtime/jobs/chain-scheduler.ts";
import type { Job } from "../../../../runtime/jobs/job.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { artifacts, encodeCall, startTestChain, type TestChain, type TestTransaction } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { createTestIndexer, runInBackground, type TestIndexer } from "../../../support/indexer/support.ts";
import { multicallAddress, multicallCode } from "../../../support/multicall.ts";
import { type RpcProxy, startRpcProxy } from "../../../support/rpc-proxy.ts";
import { until } from "../../../support/until.ts";

export const chainId = 31337;
export const logger = { info: () => undefined, warn: () => undefined };

let chain: TestChain;
/** A proxy that can fail calls. */
export let proxy: RpcProxy;
/** The jobs' block source, which calls the node through the proxy. */
export let source: Source;
let closeRpc: () => Promise<void>;
export let testDatabase: TestDatabase;
/** The clock for jobs and workers. */
export const clock = { now: new Date() };
/** Functions that stop a test's indexers. */
export let cleanups: (() => Promise<void>)[];

/** The accounts of the tests. */
export let [alice, bob]: [Address, Address] = ["0x", "0x"];
/** Working contracts, and poison contracts, whose calls fail at the node. */
export let [coin, poisonCoin, collection, poisonCollection]: [Address, Address, Address, Address] = ["0x", "0x", "0x", "0x"];
/** The first block after the mints, where some indexes start. */
export let startBlock: number;

const mine = async (...transactions: readonly TestTransaction[]) => {
  await chain.send(...transactions);
  await chain.mine();
};

export const rowsOf = <Row extends object>(statement: string) => testDatabase.database.query<Row>(statement);

/** Starts an indexer in the background. */
export const startIndexer = async (options: Parameters<typeof createTestIndexer>[2] = {}): Promise<TestIndexer> => {
  const testIndexer = await createTestIndexer(proxy.url, testDatabase.database, options);
  cleanups.push(runInBackground(testIndexer));
  return testIndexer;
};
/** Waits until an indexer has indexed the newest block. */
export const waitForHead = async ({ indexer }: TestIndexer) => {
  const head = await chain.head();
  await until("the index to reach the head", () => indexer.status().isFollowing && indexer.status().block === head);
};
/** Creates a scheduler for an indexer's chain; tests call `runDue` to run its jobs. */
export const createScheduler = (testIndexer: TestIndexer, jobs: readonly Job[]) =>
  createChainScheduler({
    chainName: "test",
    chainId,
    database: testDatabase.database,
    source: testIndexer.source,
    jobs,
    multicallAddress,
    runExclusive: testIndexer.indexer.runExclusive,
    runExclusiveKeepingCache: testIndexer.indexer.runExclusiveKeepingCache,
    isReady: () => testIndexer.indexer.status().isLeading,
    clock: () => clock.now,
    logger,
  });

/** Starts the chain and deploys the contracts that the tests share. */
export const setUp = async () => {
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
    ...coins.map((token) => encodeCall(erc20, token, "mint", [alice, 100n])),
    ...collections.map((token) => encodeCall(erc721, token, "mint", [alice])),
  );
  startBlock = (await chain.head()) + 1;
  await mine(
    ...coins.map((token) => ({ from: alice, ...encodeCall(erc20, token, "transfer", [bob, 30n]) })),
    ...collections.map((token) => ({ from: alice, ...encodeCall(erc721, token, "transferFrom", [alice, bob, 0n]) })),
  );
  proxy = await startRpcProxy(chain.url);
  const rpc = createRpc({ url: proxy.url, retries: 2, backoffMilliseconds: 1 });
  source = createSource(rpc, await probeCapabilities(rpc), { readsTraces: false, waitMilliseconds: 1 });
  closeRpc = () => rpc.close();
};

/** Creates a test's database and resets the clock. */
export const setUpTest = async () => {
  testDatabase = await createTestDatabase();
  clock.now = new Date("2026-01-01T00:00:00Z");
  cleanups = [];
};

/** Stops a test's indexers and drops its database. */
export const tearDownTest = async () => {
  proxy.intercept = null;
  proxy.tamper = null;
  for (const end of cleanups) await end();
  await testDatabase.drop();
};

/** Stops what `setUp` started. */
export const tearDown = async () => {
  await closeRpc?.();
  await proxy?.close();
  await chain?.stop();
};
