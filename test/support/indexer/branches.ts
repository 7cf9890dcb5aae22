import { createRandom } from "../../../demo/story/random.ts";
import { approvalsProjection } from "../../../runtime/domains/approvals/projection/index.ts";
import { addressActivityProjection } from "../../../runtime/domains/ledger/projection/activity.ts";
import { tokensProjection } from "../../../runtime/domains/tokens/projection/index.ts";
import type { IndexedChain } from "../../../runtime/indexer/types.ts";
import type { Address, Hex } from "../../../runtime/lib/hex.ts";
import { artifacts, encodeCall, startTestChain, type TestChain } from "../chain.ts";
import { hashContents } from "../contents.ts";
import { createTestDatabase, type TestDatabase } from "../database.ts";
import { until } from "../until.ts";
import { addRound, buildStory, type Story } from "./story-builder.ts";
import { chainOf, createTestIndexer, isAtHead, runInBackground } from "./support.ts";

const projections = [addressActivityProjection, tokensProjection, approvalsProjection];

type Accounts = readonly [Address, Address, Address];

/** A chain with reorganisations, and an index that follows it. */
export interface Branching {
  readonly chain: TestChain;
  readonly testDatabase: TestDatabase;
  /** Replaces the last `depth` blocks, adds random transactions to the new ones, and then adds `extraRounds` rounds. */
  branch(depth: number, seed: string, extraRounds?: number): Promise<void>;
  /** Adds three blocks. */
  addBlocks(): Promise<void>;
  /** Waits until the index has reached the node's head. */
  waitForHead(): Promise<void>;
  /** Builds a second index from the current chain in one run, and returns its contents. */
  freshContents(): Promise<Record<string, string>>;
  end(): Promise<void>;
}

/** Starts a chain of at least 80 blocks, and an index that follows it. */
export const startBranching = async (overrides: Partial<IndexedChain> = {}): Promise<Branching> => {
  const chain = await startTestChain();
  let round = 26;
  const story = await buildStory(chain, round);
  const accounts = chain.accounts.slice(0, 3) as unknown as Accounts;
  const configured = chainOf({ wrappedNative: [story.weth], ...overrides });
  const testDatabase = await createTestDatabase();
  const stop = runInBackground(await createTestIndexer(chain.url, testDatabase.database, { chain: configured, projections }));
  const waitForHead = () => until("the index to reach the head", () => isAtHead(testDatabase.database, chain));
  const addBlocks = () => addRound(chain, story, round++, accounts);
  await waitForHead();
  return {
    chain,
    testDatabase,
    addBlocks,
    waitForHead,
    branch: async (depth, seed, extraRounds = 0) => {
      await chain.rpc("anvil_reorg", [depth, branchTransactions(chain, story, depth, seed)]);
      for (let count = 0; count < extraRounds; count += 1) await addBlocks();
    },
    freshContents: async () => {
      const other = await createTestDatabase();
      const indexer = await createTestIndexer(chain.url, other.database, { chain: configured, projections });
      await indexer.runToHead(await chain.head());
      await indexer.close();
      const rows = await hashContents(other.database);
      await other.drop();
      return rows;
    },
    end: async () => {
      await stop();
      await testDatabase.drop();
      await chain.stop();
    },
  };
};

/** Returns random transactions, each paired with its block's offset in the new branch. */
export const branchTransactions = (
  chain: TestChain,
  { erc20, erc721, weth }: Story,
  depth: number,
  seed: string,
): [Record<string, unknown>, number][] => {
  const random = createRandom(seed);
  return Array.from({ length: random.between(1, 12) }, () => {
    const from = chain.accounts[random.between(0, 5)];
    const to = chain.accounts[random.between(0, 9)] as Address;
    const amount = BigInt(random.between(1, 40));
    const gas: Hex = "0x30d40";
    const kinds = [
      { from, to, value: `0x${amount.toString(16)}`, gas },
      { from, gas, ...encodeCall(artifacts.erc20(), erc20, "transfer", [to, amount]) },
      { from, gas, ...encodeCall(artifacts.erc20(), erc20, "approve", [to, amount]) },
      { from, gas, ...encodeCall(artifacts.erc721(), erc721, "setApprovalForAll", [to, amount < 20n]) },
      { from, gas, ...encodeCall(artifacts.weth(), weth, "deposit"), value: `0x${amount.toString(16)}` },
    ];
    return [random.pick(kinds), random.between(0, depth - 1)];
  });
};
