import { encodeDeployData } from "viem";
import { setUpAccounts } from "../chapters/accounts.ts";
import { setUpApprovals } from "../chapters/approvals.ts";
import { setUpCollectibles } from "../chapters/collectibles.ts";
import { setUpExchange } from "../chapters/exchange.ts";
import { setUpFaces } from "../chapters/faces.ts";
import { setUpFailures } from "../chapters/failures.ts";
import { setUpGarden } from "../chapters/garden.ts";
import { setUpHostile } from "../chapters/hostile.ts";
import { setUpLanterns } from "../chapters/lanterns.ts";
import { setUpLending } from "../chapters/lending.ts";
import { setUpMarketplace } from "../chapters/marketplace.ts";
import { setUpMoneyMarkets } from "../chapters/money-markets.ts";
import { setUpNewcomer } from "../chapters/newcomer.ts";
import { setUpPayouts } from "../chapters/payouts.ts";
import { setUpPermits } from "../chapters/permits.ts";
import { setUpPriceFeeds } from "../chapters/price-feeds.ts";
import { setUpRangeExchange } from "../chapters/range-exchange.ts";
import { setUpRivalExchange } from "../chapters/rival-exchange.ts";
import { setUpSafe } from "../chapters/safe.ts";
import { setUpShareVaults } from "../chapters/share-vaults.ts";
import { setUpStableSwaps } from "../chapters/stable-swaps.ts";
import { setUpTokens } from "../chapters/tokens.ts";
import { setUpVaultPools } from "../chapters/vault-pools.ts";
import { setUpVaults } from "../chapters/vaults.ts";
import { setUpWrappedNative } from "../chapters/wrapped-native.ts";
import type { Artifacts } from "../contracts/artifacts.ts";
import type { NodeClient } from "../node/client.ts";
import { createHoldings } from "./holdings.ts";
import { createMiner, type Miner } from "./miner.ts";
import { createRandom } from "./random.ts";
import { readContract } from "./read-contract.ts";
import { type Inventory, type StoryValues, toStoryValues } from "./story-values.ts";
import { interleaveCalls, planDay, setupOffset } from "./timeline.ts";
import { type Call, type DailyCalls, type StoryContext, storyDays } from "./types.ts";
import type { Ownership } from "./verify-collections.ts";

const callsPerSetupBlock = 25;
const secondsPerDay = 86_400;
/** The time of the empty first block, before the first slot of the setup. */
const firstBlockSeconds = 6;

/** The options of buildStory. */
export interface StoryOptions {
  /** A node at its genesis that mines on demand only. */
  readonly node: NodeClient;
  readonly artifacts: Artifacts;
  /** Unix seconds of the genesis block. */
  readonly genesisTime: number;
  /** 1 for the full story; a smaller scale has the same days with fewer transactions each. */
  readonly scale: number;
  /** Called after each block; the first one is empty. The node still has the state of the previous block. */
  onBlock(height: number): Promise<void>;
  onProgress(done: number, total: number): void;
}

/** The data of a built story that cannot be read from the chain alone. */
export interface BuiltStory {
  readonly values: StoryValues;
  readonly inventory: Inventory;
  readonly miner: Miner;
  readonly ownership: Ownership;
}

const createContext = ({ node, artifacts, genesisTime, scale }: StoryOptions, miner: Miner): StoryContext => {
  const holdings = createHoldings();
  let setupBlocks = 0;
  const context: StoryContext = {
    artifacts,
    holdings,
    scaled: (count) => Math.max(1, Math.round(count * scale)),
    createRandom,
    mine: async (calls) => {
      for (let start = 0; start < calls.length; start += callsPerSetupBlock) {
        setupBlocks += 1;
        await miner.mine(genesisTime + setupOffset(setupBlocks), calls.slice(start, start + callsPerSetupBlock));
      }
      holdings.applyPending();
    },
    deploy: async (from, artifact, parameters = []) => {
      const address = miner.nextContractAddress(from);
      const data = encodeDeployData({ abi: artifact.abi, bytecode: artifact.bytecode, args: parameters });
      await context.mine([{ from, to: null, data, gas: 16_000_000 }]);
      return address;
    },
    read: (address, abi, functionName, parameters) => readContract(node, address, abi, functionName, parameters),
  };
  return context;
};

const setUpChapters = async (context: StoryContext) => {
  const { accounts, dailyCalls: peopleCalls } = await setUpAccounts(context);
  const { tokens, dailyCalls: tokensCalls } = await setUpTokens(context, accounts);
  const { weth, dailyCalls: wethCalls } = await setUpWrappedNative(context, accounts);
  const { exchange, prices, dailyCalls: exchangeCalls } = await setUpExchange(context, accounts, tokens, weth);
  const approvalsCalls = setUpApprovals(context, accounts, tokens, exchange);
  const { collectibles, dailyCalls: collectiblesCalls } = await setUpCollectibles(context, accounts);
  const { payouts, dailyCalls: payoutsCalls } = await setUpPayouts(context, accounts);
  const { failingContract, dailyCalls: failuresCalls } = await setUpFailures(context, accounts, tokens, exchange, collectibles);
  const newcomerCalls = setUpNewcomer(context, accounts, tokens, weth, exchange);
  const { feeds, dailyCalls: feedsCalls } = await setUpPriceFeeds(context, accounts, prices, weth);
  const { rival, dailyCalls: rivalCalls } = await setUpRivalExchange(context, accounts, tokens, weth, prices);
  const { rangeExchange, dailyCalls: rangeCalls } = await setUpRangeExchange(context, accounts, tokens, weth, prices);
  const { garden, dailyCalls: gardenCalls } = await setUpGarden(context, accounts);
  const { marketplace, dailyCalls: marketCalls } = await setUpMarketplace(context, accounts, garden, collectibles.editions, weth);
  const { lanterns, owners: lanternOwners, dailyCalls: lanternsCalls } = await setUpLanterns(context, accounts);
  const { hostile, dailyCalls: hostileCalls } = await setUpHostile(context, accounts);
  const { faces, owners: faceOwners, dailyCalls: facesCalls } = await setUpFaces(context, accounts);
  const { coin: permitCoin, dailyCalls: permitsCalls } = await setUpPermits(context, accounts);
  const { vaults, dailyCalls: vaultsCalls } = await setUpVaults(context, accounts, tokens);
  const { shareVaults, dailyCalls: shareVaultsCalls } = await setUpShareVaults(context, accounts, tokens);
  const { vaultPools, dailyCalls: vaultPoolsCalls } = await setUpVaultPools(context, accounts, tokens, prices);
  const { moneyMarkets, dailyCalls: moneyMarketsCalls } = await setUpMoneyMarkets(context, accounts, tokens);
  const { lending, dailyCalls: lendingCalls } = await setUpLending(context, accounts, tokens);
  const { stableSwaps, dailyCalls: stableSwapsCalls } = await setUpStableSwaps(context, accounts, tokens, weth);
  const safe = await setUpSafe(context, accounts, { tokens, exchange, lending, garden, marketplace });
  const dailyCalls: readonly DailyCalls[] = [
    peopleCalls,
    tokensCalls,
    wethCalls,
    exchangeCalls,
    approvalsCalls,
    collectiblesCalls,
    payoutsCalls,
    failuresCalls,
    newcomerCalls,
    // The feeds follow the exchange, whose calls update the market prices for the day.
    feedsCalls,
    rivalCalls,
    rangeCalls,
    // These run in sequence: the sales of a day depend on the transfers of that day.
    async (day) => [...(await gardenCalls(day)), ...(await marketCalls(day))],
    lanternsCalls,
    hostileCalls,
    facesCalls,
    permitsCalls,
    vaultsCalls,
    shareVaultsCalls,
    vaultPoolsCalls,
    moneyMarketsCalls,
    lendingCalls,
    stableSwapsCalls,
  ];
  const otherChapters = {
    garden,
    marketplace,
    lanterns,
    hostile,
    faces,
    permitCoin,
    vaults,
    shareVaults,
    vaultPools,
    moneyMarkets,
    lending,
    stableSwaps,
    safe,
  };
  /** Returns the final owners of the collections' tokens; called when the story is complete. */
  const ownership = (): Ownership => ({
    garden: garden.registry.owners,
    lanterns: new Map(lanternOwners.map((owner, index) => [BigInt(index + 1), owner])),
    faces: new Map(faceOwners.map((owner, index) => [BigInt(index), owner])),
  });
  return {
    dailyCalls,
    ownership,
    chapters: { accounts, tokens, weth, exchange, rival, rangeExchange, feeds, collectibles, payouts, failingContract, ...otherChapters },
  };
};

/** Builds the story on a node: the setup of all chapters, then the days. The last block is exactly at the end time. */
export const buildStory = async (options: StoryOptions): Promise<BuiltStory> => {
  const { genesisTime, node, onProgress } = options;
  const miner = createMiner(node, options.onBlock);
  const context = createContext(options, miner);
  const total = storyDays + 2;
  onProgress(0, total);
  await miner.mine(genesisTime + firstBlockSeconds, []);
  const { dailyCalls, chapters, ownership } = await setUpChapters(context);
  onProgress(1, total);
  for (let day = 0; day < storyDays; day++) {
    const calls: (readonly Call[])[] = [];
    for (const callsOf of dailyCalls) calls.push(await callsOf(day));
    for (const block of planDay(day, interleaveCalls(calls, createRandom(`mix of day ${day}`))))
      await miner.mine(genesisTime + block.offsetSeconds, block.calls);
    context.holdings.applyPending();
    onProgress(day + 2, total);
  }
  await miner.mine(genesisTime + storyDays * secondsPerDay, []);
  return { miner, ownership: ownership(), ...(await toStoryValues(chapters, miner, node, genesisTime)) };
};
