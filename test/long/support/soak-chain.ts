import type { Address } from "viem";
import { createRandom } from "../../../demo/story/random.ts";
import { type ChainConfig, chainConfigSchema } from "../../../runtime/config/config.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { branchTransactions } from "../../support/indexer/branches.ts";
import { addRound, buildStory, type Story } from "../../support/indexer/story-builder.ts";

/** A chain with tokens, collections and contracts that can grow and be reorganised. */
export interface SoakChain {
  readonly chain: TestChain;
  readonly config: ChainConfig;
  /** Adds three blocks with transfers and approvals, or sometimes with transactions of every kind. */
  grow(): Promise<void>;
  /** Replaces the last 1 to 10 blocks with a longer branch, and returns the number of replaced blocks. */
  reorganise(): Promise<number>;
  /** Paths of requests that read blocks, balances, transfers, transactions, logs, holders, collections and approvals. */
  paths(): string[];
}

const name = "own";
const initialRoundCount = 40;
/** The number of block states that the node keeps: more than a reorganisation replaces. The states of an hour take gigabytes. */
const keptStateCount = 300;
const maxDepth = 10;
const blocksPerRound = 3;
/**
 * The number of rounds between blocks with transactions of every kind. These are rare because they create accounts, and a server keeps up to
 * 50,000 in memory: more would make its memory grow during the test.
 */
const roundsPerStory = 20;

/** Starts a chain of more than 120 blocks. */
export async function startSoakChain(seed: string): Promise<SoakChain> {
  const chain = await startTestChain({ args: ["--prune-history", String(keptStateCount)] });
  const story = await buildStory(chain, initialRoundCount);
  const random = createRandom(seed);
  const settings = {
    name,
    id: 31337,
    rpc: chain.url,
    nativeAccounting: "traces",
    wrappedNative: [story.weth],
    pollMilliseconds: 100,
    groups: ["historical"],
  };
  const owners = chain.accounts.slice(0, 3) as unknown as readonly [Address, Address, Address];
  let round = 0;
  let storyRound = initialRoundCount;
  return {
    chain,
    config: { ...chainConfigSchema.parse(settings), id: settings.id },
    async grow() {
      round += 1;
      if (round % roundsPerStory === 0) return addRound(chain, story, storyRound++, owners);
      const transactions = branchTransactions(chain, story, blocksPerRound, `${seed} ${round} grow`);
      for (let block = 0; block < blocksPerRound; block += 1) {
        const blockTransactions = transactions.filter(([, position]) => position === block);
        await chain.batch(blockTransactions.map(([transaction]) => ({ method: "eth_sendTransaction", params: [transaction] })));
        await chain.mine();
      }
    },
    async reorganise() {
      const depth = random.between(1, maxDepth);
      await chain.rpc("anvil_reorg", [depth, branchTransactions(chain, story, depth, `${seed} ${round}`)]);
      await chain.mine();
      return depth;
    },
    paths: () => pathsOf(chain.accounts, story),
  };
}

const pathsOf = (accounts: readonly Address[], { erc20, erc721 }: Story): string[] =>
  accounts.flatMap((account, index) =>
    [
      "block_v2/latest/",
      `block_v2/${index * 9}/`,
      `address/${account}/balances_v2/`,
      `address/${account}/transfers_v2/?contract-address=${erc20}`,
      `address/${account}/transactions_v3/`,
      `address/${account}/historical_balances/?block-height=${100 + index}`,
      `address/${account}/balances_nft/`,
      `address/${account}/transactions_summary/`,
      `approvals/${account}/`,
      `block/${index * 11}/transactions_v3/page/0/`,
      `events/address/${index % 2 === 0 ? erc20 : erc721}/?page-size=20&page-number=0`,
      `tokens/${erc20}/token_holders_v2/`,
    ].map((path) => `/v1/${name}/${path}`),
  );
