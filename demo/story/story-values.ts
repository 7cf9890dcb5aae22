import type { Address, Hex } from "../../runtime/lib/hex.ts";
import type { Accounts } from "../chapters/accounts.ts";
import type { Collectibles } from "../chapters/collectibles.ts";
import type { Exchange, RangeExchange, RivalExchange } from "../chapters/exchange-types.ts";
import type { Garden } from "../chapters/garden-types.ts";
import type { HostileCollection } from "../chapters/hostile.ts";
import { type Lending, lendingValues } from "../chapters/lending-pools.ts";
import type { Marketplace } from "../chapters/marketplace-orders.ts";
import type { MoneyMarkets } from "../chapters/money-markets.ts";
import type { PriceFeeds } from "../chapters/price-feeds.ts";
import type { SafeAccount } from "../chapters/safe.ts";
import type { ShareVaults } from "../chapters/share-vaults.ts";
import { soldEditionIds } from "../chapters/special-sales.ts";
import type { StableSwaps } from "../chapters/stable-swaps.ts";
import type { Tokens } from "../chapters/tokens.ts";
import type { VaultPools } from "../chapters/vault-pools.ts";
import type { Vaults } from "../chapters/vaults.ts";
import type { NodeClient } from "../node/client.ts";
import { quantity } from "./fees.ts";
import type { Miner } from "./miner.ts";
import { type LabelledTransaction, storyDays } from "./types.ts";

const secondsPerDay = 86_400;
const secondsPerBucket = 900;

/** Named addresses, ids, transactions, blocks and days of the story. Examples in spec/ refer to them as `story:<name>`. */
export type StoryValues = Readonly<Record<string, string>>;

/** All accounts and contracts of the story. */
export interface Inventory {
  readonly accounts: readonly Address[];
  /** ERC-20 tokens, including WETH and the pools' share tokens. */
  readonly tokens: readonly Address[];
  readonly pairs: readonly Address[];
  /** Pools with concentrated liquidity. */
  readonly rangePools: readonly Address[];
  readonly erc721: readonly Address[];
  readonly erc1155: readonly Address[];
  readonly contracts: readonly Address[];
}

/** The results of the chapters. */
export interface ChapterResults {
  readonly accounts: Accounts;
  readonly tokens: Tokens;
  readonly weth: Address;
  readonly exchange: Exchange;
  readonly rival: RivalExchange;
  readonly rangeExchange: RangeExchange;
  readonly feeds: PriceFeeds;
  readonly collectibles: Collectibles;
  readonly payouts: Address;
  readonly failingContract: Address;
  readonly garden: Garden;
  readonly marketplace: Marketplace;
  readonly lanterns: Address;
  readonly hostile: HostileCollection;
  readonly faces: Address;
  readonly permitCoin: Address;
  readonly vaults: Vaults;
  readonly shareVaults: ShareVaults;
  readonly stableSwaps: StableSwaps;
  readonly vaultPools: VaultPools;
  readonly moneyMarkets: MoneyMarkets;
  readonly lending: Lending;
  readonly safe: SafeAccount;
}

const dateOf = (time: number): string => new Date(time * 1000).toISOString().slice(0, 10);

const bucketOf = (time: number): string => Math.floor(time / secondsPerBucket).toString();

const toInventory = (chapters: ChapterResults): Inventory => {
  const { accounts, tokens, weth, exchange, rival, rangeExchange, feeds, collectibles, payouts, failingContract } = chapters;
  const { garden, marketplace, lanterns, hostile, faces, permitCoin, vaults, shareVaults, vaultPools, moneyMarkets, lending, stableSwaps } =
    chapters;
  const pairs = [...Object.values(exchange.pairs), ...Object.values(rival.pairs)];
  const { treasury, deployer, trader, collector, newcomer, marketMaker, secondMarketMaker, reporter, gardener, washTraders, users } =
    accounts;
  return {
    accounts: [
      treasury,
      deployer,
      trader,
      collector,
      newcomer,
      marketMaker,
      secondMarketMaker,
      reporter,
      gardener,
      ...washTraders,
      ...users,
    ],
    tokens: [
      ...tokens.all.map((token) => token.address),
      weth,
      rival.ticket,
      rival.saffron,
      permitCoin,
      ...Object.values(vaults),
      ...Object.values(shareVaults),
      ...[stableSwaps.pier, stableSwaps.quay, stableSwaps.etherShares, stableSwaps.dollarShares],
      vaultPools.tideDollar,
      ...Object.values(vaultPools.pools),
      ...[moneyMarkets.cTokens, moneyMarkets.vTokens].flatMap(({ markets }) => markets.map(({ address }) => address)),
      ...lending.tokens,
      ...pairs,
    ],
    pairs,
    rangePools: Object.values(rangeExchange.pools),
    erc721: [collectibles.art, collectibles.passes, rangeExchange.positions, garden.address, lanterns, hostile.collection],
    erc1155: [collectibles.editions, collectibles.badges],
    contracts: [
      ...[
        exchange.factory,
        exchange.router,
        rival.factory,
        rival.router,
        rangeExchange.factory,
        rangeExchange.router,
        rangeExchange.descriptor,
      ],
      ...[feeds.ether, feeds.euro, tokens.airdrop, payouts, failingContract, marketplace.seaport, faces, vaultPools.vault],
      ...[moneyMarkets.cTokens.registry, moneyMarkets.vTokens.registry],
      ...[chapters.safe.address, chapters.safe.singleton, chapters.safe.factory, chapters.safe.multiSend],
      ...[lending.pool, lending.poolV2].flatMap(({ address, configurator }) => [address, configurator]),
    ],
  };
};

/** Returns the values and the inventory of a built story. Addresses depend on the story alone; hashes and days also depend on its end time. */
export const toStoryValues = async (
  chapters: ChapterResults,
  miner: Miner,
  node: NodeClient,
  genesisTime: number,
): Promise<{ values: StoryValues; inventory: Inventory }> => {
  const { accounts, tokens, weth, exchange, rival, rangeExchange, feeds, collectibles } = chapters;
  const { garden, marketplace, lanterns, hostile, faces, permitCoin, vaults, shareVaults, vaultPools, moneyMarkets, lending, stableSwaps } =
    chapters;
  const labelled = (name: string): LabelledTransaction => {
    const transaction = miner.labelledTransactions.get(name);
    if (transaction === undefined) throw new Error(`Missing story transaction ${name}.`);
    return transaction;
  };
  const blockOf = async ({ block }: LabelledTransaction) => {
    const { hash, timestamp } = await node.request<{ hash: Hex; timestamp: Hex }>("eth_getBlockByNumber", [quantity(block), false]);
    return { hash, time: Number(timestamp) };
  };
  const [swap, sale, safe] = [labelled("swap"), labelled("sale"), labelled("safe")];
  const [swapBlock, safeBlock] = [await blockOf(swap), await blockOf(safe)];
  const { from: buyer } = await node.request<{ from: Address }>("eth_getTransactionByHash", [sale.hash]);
  const values = {
    trader: accounts.trader,
    collector: accounts.collector,
    newcomer: accounts.newcomer,
    deployer: accounts.deployer,
    marketMaker: accounts.marketMaker,
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
    washTrader: accounts.washTraders[0],
    otherWashTrader: accounts.washTraders[1],
    rangeFactory: rangeExchange.factory,
    rangeRouter: rangeExchange.router,
    rangePositions: rangeExchange.positions,
    dollarRange: rangeExchange.pools.dollarEther,
    goldRange: rangeExchange.pools.goldEther,
    etherFeed: feeds.ether,
    euroFeed: feeds.euro,
    priceReporter: accounts.reporter,
    gardenCollection: garden.address,
    gatewayCollection: lanterns,
    hostileCollection: hostile.collection,
    hostileOwner: hostile.owner,
    punks: faces,
    permitToken: permitCoin,
    dollarVault: vaults.dollar,
    goldVault: vaults.gold,
    stableRegistry: stableSwaps.registry,
    etherStablePool: stableSwaps.etherPool,
    dollarStablePool: stableSwaps.dollarPool,
    pierToken: stableSwaps.pier,
    quayToken: stableSwaps.quay,
    sharePool: shareVaults.pool,
    legacyVault: shareVaults.legacy,
    strategyVault: shareVaults.strategy,
    poolVault: vaultPools.vault,
    tideToken: vaultPools.tideDollar,
    vaultPool: vaultPools.pools.goldDollar,
    composablePool: vaultPools.pools.dollars,
    cTokenRegistry: moneyMarkets.cTokens.registry,
    vTokenRegistry: moneyMarkets.vTokens.registry,
    cTokenCollateral: moneyMarkets.cTokens.markets[0].address,
    cTokenDollar: moneyMarkets.cTokens.markets[1].address,
    vTokenCollateral: moneyMarkets.vTokens.markets[0].address,
    vTokenDollar: moneyMarkets.vTokens.markets[1].address,
    ...lendingValues(lending),
    gardener: accounts.gardener,
    seaport: marketplace.seaport,
    marketFees: marketplace.feeCollector,
    nftBuyer: buyer,
    gardenTokenId: garden.keptId.toString(),
    tradedEditionId: soldEditionIds[0].toString(),
    tradedTokenId: garden.tradedId.toString(),
    saleTransaction: sale.hash,
    bundleTransaction: labelled("bundle").hash,
    artTokenId: collectibles.artTokenId.toString(),
    swapTransaction: swap.hash,
    failedTransaction: labelled("failure").hash,
    swapBlockHash: swapBlock.hash,
    swapBlockHeight: swap.block.toString(),
    swapDay: dateOf(swapBlock.time),
    safe: chapters.safe.address,
    safeTransaction: safe.hash,
    safeBlockHash: safeBlock.hash,
    safeBlockHeight: safe.block.toString(),
    safeTimeBucket: bucketOf(safeBlock.time),
    // The first and the last complete day of the story.
    firstDay: dateOf(Math.ceil(genesisTime / secondsPerDay) * secondsPerDay),
    lastDay: dateOf(genesisTime + (storyDays - 1) * secondsPerDay),
    swapTimeBucket: bucketOf(swapBlock.time),
  };
  return { values, inventory: toInventory(chapters) };
};
