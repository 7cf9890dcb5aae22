import { createRandom } from "../../../demo/story/random.ts";
import { approvalsProjection } from "../../../runtime/domains/approvals/projection/index.ts";
import { addressActivityProjection } from "../../../runtime/domains/ledger/projection/activity.ts";
import { tokensProjection } from "../../../runtime/domains/tokens/projection/index.ts";
import type { IndexedChain } from "../../../runtime/indexer/types.ts";
import type { Address, Hex } from "../../../runtime/lib/hex.ts";
import { artifacts, call, startTestChain, type TestChain } from "../chain.ts";
import { contents } from "../contents.ts";
import { createTestDatabase, type TestDatabase } from "../database.ts";
import { until } from "../until.ts";
import { chainOf, createTestIndexer, isLevel, runInBackground } from "./support.ts";
import { type Tale, tellRound, tellTale } from "./tale.ts";

const projections = [addressActivityProjection, tokensProjection, approvalsProjection];

type Accounts = readonly [Address, Address, Address];

/** A chain whose node changes its mind, and an index that follows it all the while. */
export interface Branching {
  readonly chain: TestChain;
  readonly test: TestDatabase;
  /** Drops the last blocks for as many new ones, in some of which accounts move ether and tokens; then `more` rounds follow. */
  branch(depth: number, seed: string, more?: number): Promise<void>;
  /** Three more blocks. */
  goOn(): Promise<void>;
  /** Waits until the index is level with the node. */
  settled(): Promise<void>;
  /** What an index built at once from the chain as it is now holds. */
  fresh(): Promise<Record<string, string>>;
  end(): Promise<void>;
}

/** Starts a chain of at least 80 blocks, and an index that follows it. */
export const startBranching = async (overrides: Partial<IndexedChain> = {}): Promise<Branching> => {
  const chain = await startTestChain();
  let round = 26;
  const tale = await tellTale(chain, round);
  const accounts = chain.accounts.slice(0, 3) as unknown as Accounts;
  const configured = chainOf({ wrappedNative: [tale.weth], ...overrides });
  const test = await createTestDatabase();
  const stop = runInBackground(await createTestIndexer(chain.url, test.database, { chain: configured, projections }));
  const settled = () => until("The index being level with its node", () => isLevel(test.database, chain), 30_000);
  const goOn = () => tellRound(chain, tale, round++, accounts);
  await settled();
  return {
    chain,
    test,
    goOn,
    settled,
    branch: async (depth, seed, more = 0) => {
      await chain.rpc("anvil_reorg", [depth, otherTransactions(chain, tale, depth, seed)]);
      for (let count = 0; count < more; count += 1) await goOn();
    },
    fresh: async () => {
      const other = await createTestDatabase();
      const indexer = await createTestIndexer(chain.url, other.database, { chain: configured, projections });
      await indexer.runToHead(await chain.head());
      await indexer.close();
      const held = await contents(other.database);
      await other.drop();
      return held;
    },
    end: async () => {
      await stop();
      await test.drop();
      await chain.stop();
    },
  };
};

/** Pairs of a transaction and the block of the new branch that it is in. */
const otherTransactions = (
  chain: TestChain,
  { erc20, erc721, weth }: Tale,
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
      { from, gas, ...call(artifacts.erc20(), erc20, "transfer", [to, amount]) },
      { from, gas, ...call(artifacts.erc20(), erc20, "approve", [to, amount]) },
      { from, gas, ...call(artifacts.erc721(), erc721, "setApprovalForAll", [to, amount < 20n]) },
      { from, gas, ...call(artifacts.weth(), weth, "deposit"), value: `0x${amount.toString(16)}` },
    ];
    return [random.pick(kinds), random.between(0, depth - 1)];
  });
};
