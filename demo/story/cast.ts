import type { Address, Hex } from "../../runtime/lib/hex.ts";
import type { Collectibles } from "../chapters/collectibles.ts";
import type { Exchange, RangeExchange, RivalExchange } from "../chapters/exchange-types.ts";
import type { Garden } from "../chapters/garden-types.ts";
import type { Hostile } from "../chapters/hostile.ts";
import { soldEditions } from "../chapters/market-specials.ts";
import type { Market } from "../chapters/market-types.ts";
import type { People } from "../chapters/people.ts";
import type { PriceFeeds } from "../chapters/price-feeds.ts";
import type { Tokens } from "../chapters/tokens.ts";
import type { NodeClient } from "../node/client.ts";
import type { Miner } from "./miner.ts";
import { storyDays } from "./types.ts";

const secondsPerDay = 86_400;
const secondsPerBucket = 900;

/** Named accounts, contracts, transactions and days of the story, which the examples in spec/ refer to. */
export type Cast = Readonly<Record<string, string>>;

/** All accounts and contracts of the story, for tests that cover all of them. */
export interface Inventory {
  readonly people: readonly Address[];
  /** ERC-20, WETH and the pairs' own tokens included. */
  readonly tokens: readonly Address[];
  readonly pairs: readonly Address[];
  /** Pools of concentrated liquidity. */
  readonly rangePools: readonly Address[];
  readonly erc721: readonly Address[];
  readonly erc1155: readonly Address[];
  readonly contracts: readonly Address[];
}

/** The results of the chapters. */
export interface World {
  readonly people: People;
  readonly tokens: Tokens;
  readonly weth: Address;
  readonly exchange: Exchange;
  readonly rival: RivalExchange;
  readonly ranges: RangeExchange;
  readonly feeds: PriceFeeds;
  readonly collectibles: Collectibles;
  readonly payouts: Address;
  readonly faults: Address;
  readonly garden: Garden;
  readonly marketplace: Market;
  readonly lanterns: Address;
  readonly hostile: Hostile;
  readonly faces: Address;
  readonly permitCoin: Address;
}

const dateOf = (time: number): string => new Date(time * 1000).toISOString().slice(0, 10);

const toInventory = (world: World): Inventory => {
  const { people, tokens, weth, exchange, rival, ranges, feeds, collectibles, payouts, faults } = world;
  const { garden, marketplace, lanterns, hostile, faces, permitCoin } = world;
  const pairs = [...Object.values(exchange.pairs), ...Object.values(rival.pairs)];
  const { treasury, deployer, trader, collector, newcomer, marketMaker, keeper, reporter, gardener, washTraders, crowd } = people;
  return {
    people: [treasury, deployer, trader, collector, newcomer, marketMaker, keeper, reporter, gardener, ...washTraders, ...crowd],
    tokens: [...tokens.all.map((token) => token.address), weth, rival.ticket, rival.saffron, permitCoin, ...pairs],
    pairs,
    rangePools: Object.values(ranges.pools),
    erc721: [collectibles.art, collectibles.passes, ranges.positions, garden.address, lanterns, hostile.collection],
    erc1155: [collectibles.editions, collectibles.badges],
    contracts: [
      ...[exchange.factory, exchange.router, rival.factory, rival.router, ranges.factory, ranges.router, ranges.descriptor],
      ...[feeds.ether, feeds.euro, tokens.airdrop, payouts, faults, marketplace.seaport, faces],
    ],
  };
};

/** The cast of a built story: addresses depend on the story alone, hashes and days also on its end time. */
export const toCast = async (
  world: World,
  miner: Miner,
  node: NodeClient,
  genesisTime: number,
): Promise<{ cast: Cast; inventory: Inventory }> => {
  const { people, tokens, weth, exchange, rival, ranges, feeds, collectibles } = world;
  const { garden, marketplace, lanterns, hostile, faces, permitCoin } = world;
  const swap = miner.landmarks.get("swap");
  const failure = miner.landmarks.get("failure");
  const sale = miner.landmarks.get("sale");
  const bundle = miner.landmarks.get("bundle");
  if (swap === undefined || failure === undefined || sale === undefined || bundle === undefined)
    throw new Error("A marked transaction of the story is missing.");
  const block = await node.request<{ hash: Hex; timestamp: Hex }>("eth_getBlockByNumber", [`0x${swap.block.toString(16)}`, false]);
  const { from: buyer } = await node.request<{ from: Address }>("eth_getTransactionByHash", [sale.hash]);
  const swapTime = Number(block.timestamp);
  const cast = {
    trader: people.trader,
    collector: people.collector,
    newcomer: people.newcomer,
    deployer: people.deployer,
    marketMaker: people.marketMaker,
    usdToken: tokens.usd.address,
    goldToken: tokens.gold.address,
    saltToken: tokens.salt.address,
    tollToken: tokens.toll.address,
    bytes32Token: tokens.old.address,
    wrappedNative: weth,
    artCollection: collectibles.art,
    editionsCollection: collectibles.editions,
    goldPair: exchange.pairs.goldDollar,
    exchangeFactory: exchange.factory,
    exchangeRouter: exchange.router,
    dollarPair: exchange.pairs.dollarEther,
    ticketToken: rival.ticket,
    saffronToken: rival.saffron,
    rivalFactory: rival.factory,
    rivalRouter: rival.router,
    rivalDollarPair: rival.pairs.dollarEther,
    tollPair: rival.pairs.tollDollar,
    ticketPair: rival.pairs.ticketDollar,
    saffronPair: rival.pairs.saffronEther,
    drainedPair: rival.pairs.saltEther,
    washPair: rival.pairs.wash,
    washTrader: people.washTraders[0],
    otherWashTrader: people.washTraders[1],
    rangeFactory: ranges.factory,
    rangeRouter: ranges.router,
    rangePositions: ranges.positions,
    dollarRange: ranges.pools.dollarEther,
    goldRange: ranges.pools.goldEther,
    etherFeed: feeds.ether,
    euroFeed: feeds.euro,
    priceReporter: people.reporter,
    gardenCollection: garden.address,
    gatewayCollection: lanterns,
    hostileCollection: hostile.collection,
    hostileOwner: hostile.owner,
    punks: faces,
    permitToken: permitCoin,
    gardener: people.gardener,
    seaport: marketplace.seaport,
    marketFees: marketplace.feeCollector,
    nftBuyer: buyer,
    gardenTokenId: garden.keptId.toString(),
    tradedEditionId: soldEditions[0].toString(),
    tradedTokenId: garden.tradedId.toString(),
    saleTransaction: sale.hash,
    bundleTransaction: bundle.hash,
    artTokenId: collectibles.artTokenId.toString(),
    swapTransaction: swap.hash,
    failedTransaction: failure.hash,
    swapBlockHash: block.hash,
    swapBlockHeight: swap.block.toString(),
    swapDay: dateOf(swapTime),
    // The first and the last day that lie inside the story as a whole.
    firstDay: dateOf(Math.ceil(genesisTime / secondsPerDay) * secondsPerDay),
    lastDay: dateOf(genesisTime + (storyDays - 1) * secondsPerDay),
    swapTimeBucket: Math.floor(swapTime / secondsPerBucket).toString(),
  };
  return { cast, inventory: toInventory(world) };
};
