import type { Address, Hex } from "../../../../../../runtime/lib/hex.ts";
import { artifacts, encodeCall, startTestChain, type TestChain, type TestTransaction } from "../../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../../support/database.ts";
import { addRound, buildStory, type Story } from "../../../../../support/indexer/story-builder.ts";
import { chainOf } from "../../../../../support/indexer/support.ts";
import { type RpcProxy, startRpcProxy } from "../../../../../support/rpc-proxy.ts";
import { type Reconciliation, startReconciliation } from "../support.ts";
import { unusualBalances } from "../unusual-balances.ts";
import { hideOldState } from "./hide-old-state.ts";

/** The test chain. */
export let chain: TestChain;
/** The proxy between the index and the node. */
export let proxy: RpcProxy;
/** The chain's contracts. */
export let story: Story;
/** A token that changes balances without events. */
export let unlogged: Address;
/** The first block of the late index. */
export let from: number;
/** The database of the index. */
export let testDatabase: TestDatabase;
let running: Reconciliation | undefined;

/** The JSON-RPC encoding of a number. */
export const quantity = (value: number): Hex => `0x${value.toString(16)}`;
/** The late index's options. */
export const indexOptions = () => ({ chain: chainOf({ from, wrappedNative: [story.weth] }) });
/** The accounts that use the contracts. */
export const accounts = () => chain.accounts.slice(0, 3) as [Address, Address, Address];
/** Mines transactions in one block. */
export const mine = async (...transactions: readonly TestTransaction[]) => {
  await chain.send(...transactions);
  await chain.mine();
};
/** A transaction that calls `unlogged`. */
export const callUnlogged = (name: string, args: readonly unknown[], sender?: Address): TestTransaction => ({
  ...(sender === undefined ? {} : { from: sender }),
  ...encodeCall(unusualBalances("Unlogged"), unlogged, name, args),
});

/** Indexes the chain from `from` on, and reconciles on request. */
export const reconcile = async (options: ReturnType<typeof indexOptions> = indexOptions()): Promise<Reconciliation> => {
  running = await startReconciliation(chain, proxy.url, testDatabase.database, options);
  return running;
};

/** Starts the chain that the tests share, with transactions before and after the first block of the late index. */
export const setUp = async () => {
  chain = await startTestChain();
  proxy = await startRpcProxy(chain.url);
  story = await buildStory(chain, 3);
  unlogged = await chain.deploy(unusualBalances("Unlogged"));
  const [first, second, third] = accounts();
  await mine(callUnlogged("mint", [first, 100n]));
  from = (await chain.head()) + 1;
  await addRound(chain, story, 3, [first, second, third]);
  await mine(encodeCall(artifacts.erc20(), story.erc20, "transfer", [second, 1n]), callUnlogged("transfer", [second, 30n]));
  await addRound(chain, story, 4, [second, third, first]);
  await mine(encodeCall(artifacts.erc721(), story.erc721, "transferFrom", [second, third, 0n]));
};

/** Stops what `setUp` started. */
export const tearDown = async () => {
  await proxy?.close();
  await chain?.stop();
};

/** Creates a test's database, and hides the node's old state. */
export const setUpTest = async () => {
  testDatabase = await createTestDatabase();
  hideOldState(proxy, await chain.head());
};

/** Stops a test's index, and drops its database. */
export const tearDownTest = async () => {
  await running?.end();
  running = undefined;
  await testDatabase.drop();
};
