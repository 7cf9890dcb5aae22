import type { ChainBlock } from "../../runtime/chain/types.ts";
import { type Address, type Hash, zeroAddress } from "../../runtime/lib/hex.ts";
import { createRandom, hexOf } from "../support/random.ts";
import { type BlockWriter, createBlockWriter } from "./block-writer.ts";
import { curatedIdCount, marketDays, type NftMarket, type NftMarketSize, nftMarketOf, timeOfBlock } from "./nft-market.ts";
import { createSales, type Holdings } from "./sales.ts";

/** Incremented when the same size generates different blocks or documents. */
export const storyVersion = 2;

const emptyHash = `0x${"0".repeat(64)}` as Hash;
const blockKind = 66;
const itemsPerTransaction = 50;
const unlimited = 2n ** 256n - 1n;
const wholeToken = 10n ** 18n;

/**
 * Generates the blocks of a market in order. The first hundredth mints all tokens; a feed answers each hour; sales and transfers are
 * spread over the other blocks; the approver's approvals are in the middle block. Accounts transfer only tokens that they hold.
 */
export function* generateBlocks(size: NftMarketSize): Generator<ChainBlock> {
  const nftMarket = nftMarketOf(size);
  const random = createRandom(size.seed);
  const holdings: Holdings = {
    large: Array.from({ length: size.tokens }, (_, id) => firstOwner(nftMarket, id, random)),
    small: nftMarket.smallCollections.map(() =>
      Array.from({ length: nftMarket.tokensPerSmallCollection }, (_, id) =>
        id < curatedIdCount ? nftMarket.curator : pick(nftMarket.traders, random),
      ),
    ),
  };
  const sales = createSales(nftMarket, holdings, random);
  const setUp = setUpOf(nftMarket, holdings);
  const setUpBlocks = Math.ceil(nftMarket.blockCount / 100);
  const totalAnswers = marketDays * 24;
  let [parentHash, transactions, soldCount, answerCount, transferCount, setUpCount] = [emptyHash, 0, 0, 0, 0, 0];
  for (let number = 0; number < nftMarket.blockCount; number += 1) {
    const writer = createBlockWriter(transactions);
    const timestamp = timeOfBlock(nftMarket, size.until, number);
    const dueCount = (count: number): number => Math.floor((count * (number + 1)) / nftMarket.blockCount);
    for (; answerCount < dueCount(totalAnswers); answerCount += 1) publishAnswer(writer, nftMarket, answerCount, timestamp);
    for (; setUpCount < Math.min(setUp.length, Math.ceil((setUp.length * (number + 1)) / setUpBlocks)); setUpCount += 1)
      setUp[setUpCount]?.(writer);
    if (number === Math.floor(nftMarket.blockCount / 2)) writeApprovals(writer, nftMarket);
    const progress = Math.max(0, number + 1 - setUpBlocks) / (nftMarket.blockCount - setUpBlocks);
    for (; soldCount < Math.floor(size.sales * progress); soldCount += 1) sales.sell(writer, soldCount);
    for (; transferCount < Math.floor(size.tokens * 2 * progress); transferCount += 1) sales.transfer(writer);
    const hash = hexOf(blockKind, number, 8);
    yield blockOf(number, hash, parentHash, timestamp, writer);
    parentHash = hash;
    transactions += writer.transactions.length;
  }
}

const pick = <T>(items: readonly T[], random: () => number): T => items[Math.floor(random() ** 2 * items.length)] as T;

const firstOwner = ({ first, washTraders, approver, whale, traders }: NftMarket, id: number, random: () => number): Address => {
  if (id >= first.whale) return whale;
  if (id >= first.approver) return approver;
  if (id >= first.washTraders) return washTraders[0];
  return pick(traders, random);
};

/** Functions that write the transactions before the trades: mints, and approvals for the marketplace. */
const setUpOf = (nftMarket: NftMarket, { large, small }: Holdings): ((writer: BlockWriter) => void)[] => {
  const { traders, wrapped, market, creator, publisher, editions, approver, coins } = nftMarket;
  const inPortions = <T>(items: readonly T[], write: (writer: BlockWriter, item: T, index: number) => void) =>
    Array.from({ length: Math.ceil(items.length / itemsPerTransaction) }, (_, portion) => (writer: BlockWriter) => {
      const start = portion * itemsPerTransaction;
      for (const [index, item] of items.slice(start, start + itemsPerTransaction).entries()) write(writer, item, start + index);
      writer.endTransaction(creator, nftMarket.largeCollection);
    });
  const mint = (collection: Address) => (writer: BlockWriter, owner: Address, id: number) =>
    writer.transfer(collection, zeroAddress, owner, id);
  return [
    ...inPortions([...traders, ...nftMarket.washTraders], (writer, trader) =>
      writer.transferCoins(wrapped, zeroAddress, trader, 10n ** 6n * wholeToken),
    ),
    ...inPortions(traders, (writer, trader) => writer.approveAll(nftMarket.largeCollection, trader, market, true)),
    ...inPortions(large, mint(nftMarket.largeCollection)),
    ...small.flatMap((owners, index) => inPortions(owners, mint(nftMarket.smallCollections[index] as Address))),
    ...inPortions(Array.from({ length: nftMarket.editionIdCount }), (writer, _, id) =>
      writer.transferUnits(editions, publisher, zeroAddress, publisher, id, 1_000_000),
    ),
    ...inPortions(coins, (writer, coin) => writer.transferCoins(coin, zeroAddress, approver, 100n * wholeToken)),
  ];
};

const publishAnswer = (writer: BlockWriter, { feed, creator }: NftMarket, round: number, time: number): void => {
  writer.answer(feed, 2_500n * 10n ** 8n + BigInt(Math.round(Math.sin(round / 300) * 5e10)), round + 1, time);
  writer.endTransaction(creator, feed);
};

/** Writes two allowances for each coin (one unlimited), an operator for each small collection, and approvals for single tokens of the large one. */
const writeApprovals = (writer: BlockWriter, nftMarket: NftMarket): void => {
  const { approver, coins, spenders, smallCollections, operators, largeCollection, first } = nftMarket;
  for (const [index, coin] of coins.entries()) {
    for (const turn of [0, 1]) {
      writer.approveCoins(
        coin,
        approver,
        spenders[(index * 2 + turn) % spenders.length] as Address,
        turn === 0 ? unlimited : 7n * wholeToken,
      );
      writer.endTransaction(approver, coin);
    }
  }
  for (const [index, collection] of smallCollections.entries()) {
    writer.approveAll(collection, approver, operators[index] as Address, true);
    writer.endTransaction(approver, collection);
  }
  for (let id = first.approver; id < first.whale; id += 1) {
    writer.approve(largeCollection, approver, spenders[id % spenders.length] as Address, id);
    writer.endTransaction(approver, largeCollection);
  }
};

const blockOf = (number: number, hash: Hash, parentHash: Hash, timestamp: number, { transactions }: BlockWriter): ChainBlock => ({
  number,
  hash,
  parentHash,
  timestamp,
  miner: zeroAddress,
  extraData: "0x",
  gasUsed: BigInt(transactions.length) * 180_000n,
  gasLimit: 30_000_000n,
  baseFeePerGas: 10n ** 9n,
  size: 1_000 + transactions.length * 500,
  transactions,
  withdrawals: [],
  balances: null,
});
