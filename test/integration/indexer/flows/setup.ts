import { expect } from "vitest";
import { startTestChain, type TestChain } from "../../../support/chain.ts";
import { dump } from "../../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { addRound, buildStory, type Story } from "../../../support/indexer/story-builder.ts";
import { chainOf, createTestIndexer } from "../../../support/indexer/support.ts";
import { type RpcProxy, startRpcProxy } from "../../../support/rpc-proxy.ts";

type Accounts = readonly [`0x${string}`, `0x${string}`, `0x${string}`];

export let chain: TestChain;
/** The proxy between the index and the node. */
export let proxy: RpcProxy;
let story: Story;
/** The accounts that send transactions to the contracts. */
export let accounts: Accounts;
/** The number of the next round of transactions. */
let round = 2;
const databases: TestDatabase[] = [];

/** Creates a database that is dropped after the test. */
export const newDatabase = async (): Promise<TestDatabase> => {
  const testDatabase = await createTestDatabase();
  databases.push(testDatabase);
  return testDatabase;
};
/** Mines the next round of transactions. */
export const addNextRound = () => addRound(chain, story, round++, accounts);
/** The indexed chain's settings. */
export const chainSettings = () => chainOf({ wrappedNative: [story.weth] });

/** Indexes the current chain in a new database and returns the rows. */
export const freshDump = async () => {
  const testDatabase = await newDatabase();
  const fresh = await createTestIndexer(chain.url, testDatabase.database, { chain: chainSettings() });
  await fresh.runToHead(await chain.head());
  await fresh.close();
  return dump(testDatabase.database);
};

/** Compares two indexes' tables. */
export const expectSame = (actual: Record<string, string[]>, expected: Record<string, string[]>) => {
  for (const table of Object.keys(expected)) expect(actual[table], table).toEqual(expected[table]);
};

/** Starts the chain that the tests share. */
export const setUp = async () => {
  chain = await startTestChain();
  proxy = await startRpcProxy(chain.url);
  story = await buildStory(chain, round);
  accounts = chain.accounts.slice(0, 3) as unknown as Accounts;
};

/** Drops a test's databases, and resets the proxy. */
export const tearDownTest = async () => {
  proxy.tamper = null;
  proxy.intercept = null;
  await Promise.all(databases.splice(0).map((testDatabase) => testDatabase.drop()));
};

/** Stops what `setUp` started. */
export const tearDown = async () => {
  await proxy?.close();
  await chain?.stop();
};
