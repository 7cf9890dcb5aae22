import type { ChainBlock } from "../../runtime/chain/types.ts";
import { type Address, type Hash, zeroAddress } from "../../runtime/lib/hex.ts";
import { createRandom, hexOf } from "../support/random.ts";
import { type Cast, type CastSize, castDays, castOf, curated, timeOfBlock } from "./cast.ts";
import { type BlockWriter, createBlockWriter } from "./logs.ts";
import { createSales, type Holdings } from "./sales.ts";

/** Raised when the same size gives other blocks or documents. */
export const storyVersion = 1;

const emptyHash = `0x${"0".repeat(64)}` as Hash;
const blockKind = 66;
const mintedAtOnce = 50;
const unlimited = 2n ** 256n - 1n;
const whole = 10n ** 18n;

/**
 * The blocks of a year with generated collections, in order. In the first hundredth all tokens are minted and handed out, a feed answers each hour, and sales and plain
 * transfers are spread over the rest; half-way the approver approves. Nobody gives what they do not have.
 */
export function* tellCollections(size: CastSize): Generator<ChainBlock> {
  const cast = castOf(size);
  const random = createRandom(size.seed);
  const holdings: Holdings = {
    large: Array.from({ length: size.tokens }, (_, id) => firstOwner(cast, id, random)),
    small: cast.small.map(() =>
      Array.from({ length: cast.tokensOfSmall }, (_, id) => (id < curated ? cast.curator : pick(cast.traders, random))),
    ),
  };
  const sales = createSales(cast, holdings, random);
  const openings = openingsOf(cast, holdings);
  const opening = Math.ceil(cast.blocks / 100);
  const answers = castDays * 24;
  let [parentHash, transactions, sold, answered, moved, opened] = [emptyHash, 0, 0, 0, 0, 0];
  for (let number = 0; number < cast.blocks; number += 1) {
    const writer = createBlockWriter(transactions);
    const timestamp = timeOfBlock(cast, size.until, number);
    const due = (count: number): number => Math.floor((count * (number + 1)) / cast.blocks);
    for (; answered < due(answers); answered += 1) answerFeed(writer, cast, answered, timestamp);
    for (; opened < Math.min(openings.length, Math.ceil((openings.length * (number + 1)) / opening)); opened += 1)
      openings[opened]?.(writer);
    if (number === Math.floor(cast.blocks / 2)) giveApprovals(writer, cast);
    const since = Math.max(0, number + 1 - opening) / (cast.blocks - opening);
    for (; sold < Math.floor(size.sales * since); sold += 1) sales.sell(writer, sold);
    for (; moved < Math.floor(size.tokens * 2 * since); moved += 1) sales.give(writer);
    const hash = hexOf(blockKind, number, 8);
    yield blockOf(number, hash, parentHash, timestamp, writer);
    parentHash = hash;
    transactions += writer.transactions.length;
  }
}

const pick = <T>(items: readonly T[], random: () => number): T => items[Math.floor(random() ** 2 * items.length)] as T;

const firstOwner = ({ first, washers, approver, whale, traders }: Cast, id: number, random: () => number): Address => {
  if (id >= first.whale) return whale;
  if (id >= first.approver) return approver;
  if (id >= first.washers) return washers[0];
  return pick(traders, random);
};

/** A transaction each: mints, and whatever else must have happened before there is trade. */
const openingsOf = (cast: Cast, { large, small }: Holdings): ((writer: BlockWriter) => void)[] => {
  const { traders, wrapped, market, creator, publisher, editions, approver, coins } = cast;
  const inPortions = <T>(items: readonly T[], act: (writer: BlockWriter, item: T, index: number) => void) =>
    Array.from({ length: Math.ceil(items.length / mintedAtOnce) }, (_, portion) => (writer: BlockWriter) => {
      const start = portion * mintedAtOnce;
      for (const [index, item] of items.slice(start, start + mintedAtOnce).entries()) act(writer, item, start + index);
      writer.end(creator, cast.large);
    });
  const mint = (collection: Address) => (writer: BlockWriter, owner: Address, id: number) =>
    writer.transfer(collection, zeroAddress, owner, id);
  return [
    ...inPortions([...traders, ...cast.washers], (writer, trader) => writer.transferCoins(wrapped, zeroAddress, trader, 10n ** 6n * whole)),
    ...inPortions(traders, (writer, trader) => writer.approveAll(cast.large, trader, market, true)),
    ...inPortions(large, mint(cast.large)),
    ...small.flatMap((owners, index) => inPortions(owners, mint(cast.small[index] as Address))),
    ...inPortions(Array.from({ length: cast.editionIds }), (writer, _, id) =>
      writer.transferUnits(editions, publisher, zeroAddress, publisher, id, 1_000_000),
    ),
    ...inPortions(coins, (writer, coin) => writer.transferCoins(coin, zeroAddress, approver, 100n * whole)),
  ];
};

const answerFeed = (writer: BlockWriter, { feed, creator }: Cast, round: number, time: number): void => {
  writer.answer(feed, 2_500n * 10n ** 8n + BigInt(Math.round(Math.sin(round / 300) * 5e10)), round + 1, time);
  writer.end(creator, feed);
};

/** Two allowances of each coin, half of them unlimited; an operator of each small collection; single tokens of the large one. */
const giveApprovals = (writer: BlockWriter, cast: Cast): void => {
  const { approver, coins, spenders, small, operators, large, first } = cast;
  for (const [index, coin] of coins.entries()) {
    for (const turn of [0, 1]) {
      writer.approveCoins(coin, approver, spenders[(index * 2 + turn) % spenders.length] as Address, turn === 0 ? unlimited : 7n * whole);
      writer.end(approver, coin);
    }
  }
  for (const [index, collection] of small.entries()) {
    writer.approveAll(collection, approver, operators[index] as Address, true);
    writer.end(approver, collection);
  }
  for (let id = first.approver; id < first.whale; id += 1) {
    writer.approve(large, approver, spenders[id % spenders.length] as Address, id);
    writer.end(approver, large);
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
