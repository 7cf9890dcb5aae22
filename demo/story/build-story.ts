import { encodeDeployData } from "viem";
import { openApprovals } from "../chapters/approvals.ts";
import { openCollectibles } from "../chapters/collectibles.ts";
import { openExchange } from "../chapters/exchange.ts";
import { openFaces } from "../chapters/faces.ts";
import { openFailures } from "../chapters/failures.ts";
import { openGarden } from "../chapters/garden.ts";
import { openHostile } from "../chapters/hostile.ts";
import { openLanterns } from "../chapters/lanterns.ts";
import { openMarket } from "../chapters/market.ts";
import { openNewcomer } from "../chapters/newcomer.ts";
import { openPayouts } from "../chapters/payouts.ts";
import { openPeople } from "../chapters/people.ts";
import { openPermits } from "../chapters/permits.ts";
import { openPriceFeeds } from "../chapters/price-feeds.ts";
import { openRangeExchange } from "../chapters/range-exchange.ts";
import { openRivalExchange } from "../chapters/rival-exchange.ts";
import { openTokens } from "../chapters/tokens.ts";
import { openWrappedNative } from "../chapters/wrapped-native.ts";
import type { Artifacts } from "../contracts/artifacts.ts";
import type { NodeClient } from "../node/client.ts";
import { type Cast, type Inventory, toCast } from "./cast.ts";
import { createHoldings } from "./holdings.ts";
import { createMiner, type Miner } from "./miner.ts";
import { createRandom } from "./random.ts";
import { readContract } from "./read-contract.ts";
import { mix, openingOffset, planDay } from "./timeline.ts";
import { type Call, type ChapterContext, type Scene, storyDays } from "./types.ts";
import type { Ownership } from "./verify-collections.ts";

const callsPerOpeningBlock = 25;
const secondsPerDay = 86_400;
/** The empty first block is mined before the first slot of the openings. */
const firstBlockSeconds = 6;

/** The options of buildStory. */
export interface StoryOptions {
  /** A node at its genesis that mines on demand only. */
  readonly node: NodeClient;
  readonly artifacts: Artifacts;
  /** Unix seconds of the genesis block. */
  readonly genesisTime: number;
  /** 1 for the whole story; a smaller scale has as many days with fewer transactions in each. */
  readonly scale: number;
  /** Called when only the genesis block and an empty first block exist: the node still has the genesis state. */
  onGenesis(): Promise<void>;
  onProgress(done: number, total: number): void;
}

/** A built story: what the chain alone does not show. */
export interface BuiltStory {
  readonly cast: Cast;
  readonly inventory: Inventory;
  readonly miner: Miner;
  readonly ownership: Ownership;
}

const createContext = ({ node, artifacts, genesisTime, scale }: StoryOptions, miner: Miner): ChapterContext => {
  const holdings = createHoldings();
  let opened = 0;
  const context: ChapterContext = {
    artifacts,
    holdings,
    scaled: (count) => Math.max(1, Math.round(count * scale)),
    random: createRandom,
    play: async (calls) => {
      for (let start = 0; start < calls.length; start += callsPerOpeningBlock) {
        opened += 1;
        await miner.mine(genesisTime + openingOffset(opened), calls.slice(start, start + callsPerOpeningBlock));
      }
      holdings.settle();
    },
    deploy: async (from, artifact, parameters = []) => {
      const address = miner.nextContract(from);
      const data = encodeDeployData({ abi: artifact.abi, bytecode: artifact.bytecode, args: parameters });
      await context.play([{ from, to: null, data, gas: 8_000_000 }]);
      return address;
    },
    read: (address, abi, functionName, parameters) => readContract(node, address, abi, functionName, parameters),
  };
  return context;
};

const open = async (context: ChapterContext) => {
  const { people, scene: peopleScene } = await openPeople(context);
  const { tokens, scene: tokensScene } = await openTokens(context, people);
  const { weth, scene: wethScene } = await openWrappedNative(context, people);
  const { exchange, market, scene: exchangeScene } = await openExchange(context, people, tokens, weth);
  const approvalsScene = openApprovals(context, people, tokens, exchange);
  const { collectibles, scene: collectiblesScene } = await openCollectibles(context, people);
  const { payouts, scene: payoutsScene } = await openPayouts(context, people);
  const { faults, scene: failuresScene } = await openFailures(context, people, tokens, exchange, collectibles);
  const newcomerScene = openNewcomer(context, people, tokens, weth, exchange);
  const { feeds, scene: feedsScene } = await openPriceFeeds(context, people, market, weth);
  const { rival, scene: rivalScene } = await openRivalExchange(context, people, tokens, weth, market);
  const { ranges, scene: rangesScene } = await openRangeExchange(context, people, tokens, weth, market);
  const { garden, scene: gardenScene } = await openGarden(context, people);
  const { market: marketplace, scene: marketScene } = await openMarket(context, people, garden, collectibles.editions, weth);
  const { lanterns, owners: lanternOwners, scene: lanternsScene } = await openLanterns(context, people);
  const { hostile, scene: hostileScene } = await openHostile(context, people);
  const { faces, owners: faceOwners, scene: facesScene } = await openFaces(context, people);
  const { coin: permitCoin, scene: permitsScene } = await openPermits(context, people);
  const scenes: readonly Scene[] = [
    peopleScene,
    tokensScene,
    wethScene,
    exchangeScene,
    approvalsScene,
    collectiblesScene,
    payoutsScene,
    failuresScene,
    newcomerScene,
    // After the exchange's, whose day begins with the market's new rates.
    feedsScene,
    rivalScene,
    rangesScene,
    // In sequence: the sales of a day depend on the transfers of that day.
    async (day) => [...(await gardenScene(day)), ...(await marketScene(day))],
    lanternsScene,
    hostileScene,
    facesScene,
    permitsScene,
  ];
  const nfts = { garden, marketplace, lanterns, hostile, faces, permitCoin };
  /** Called when the story is complete. */
  const ownership = (): Ownership => ({
    garden: garden.book.owners,
    lanterns: new Map(lanternOwners.map((owner, index) => [BigInt(index + 1), owner])),
    faces: new Map(faceOwners.map((owner, index) => [BigInt(index), owner])),
  });
  return { scenes, ownership, world: { people, tokens, weth, exchange, rival, ranges, feeds, collectibles, payouts, faults, ...nfts } };
};

/** Builds the whole story on a node: the openings of all chapters, then day by day; the last block is exactly at the end time. */
export const buildStory = async (options: StoryOptions): Promise<BuiltStory> => {
  const { genesisTime, node, onProgress } = options;
  const miner = createMiner(node);
  const context = createContext(options, miner);
  const total = storyDays + 2;
  onProgress(0, total);
  await miner.mine(genesisTime + firstBlockSeconds, []);
  await options.onGenesis();
  const { scenes, world, ownership } = await open(context);
  onProgress(1, total);
  for (let day = 0; day < storyDays; day++) {
    const calls: (readonly Call[])[] = [];
    for (const scene of scenes) calls.push(await scene(day));
    for (const block of planDay(day, mix(calls, createRandom(`mix of day ${day}`))))
      await miner.mine(genesisTime + block.offset, block.calls);
    context.holdings.settle();
    onProgress(day + 2, total);
  }
  await miner.mine(genesisTime + storyDays * secondsPerDay, []);
  return { miner, ownership: ownership(), ...(await toCast(world, miner, node, genesisTime)) };
};
