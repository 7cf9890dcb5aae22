import { setImmediate as nextTurn } from "node:timers/promises";
import type { ChainConfig } from "../../../config/config.ts";
import { type Address, nativeTokenAddress } from "../../../lib/hex.ts";
import { secondsOfDay } from "../../../lib/time.ts";
import { createPriceModel, secondsOfBucket } from "../model/model.ts";
import type { Word } from "../model/words.ts";
import { dayOfHour, type EvidenceQueries, type Height, type Progress } from "./evidence-queries.ts";
import { createPriceLedger, type Portion } from "./price-ledger.ts";

/** Rows and milliseconds after which a portion is written. */
const rowsOfPortion = 20_000;
const millisecondsOfPortion = 1_000;

/** Goes through what prices are made of, portion by portion. */
export interface PriceMaker {
  /** The block that it has come to; null before the first. What it has made follows from this block and those below it. */
  readonly height: Height | null;
  /** The next portion, at most up to a head; `isLevel` where that is reached. */
  advance(head: Height): Promise<Portion & { readonly isLevel: boolean }>;
}

/**
 * Takes up the making of prices where it was left, at the beginning of a day; or from the beginning. Null while a token whose prices are told for whole
 * units has yet to be asked for its decimals, or where there is nothing to begin with.
 */
export async function createPriceMaker(
  chain: ChainConfig,
  queries: EvidenceQueries,
  progress: Progress | null,
): Promise<PriceMaker | null> {
  const factories = chain.exchanges.map(({ factory }) => factory);
  const feeds = chain.prices.feeds.flatMap(({ aggregators }) => aggregators);
  const [file, first] = await Promise.all([queries.fileWords(), queries.first()]);
  const begin = Math.min(first?.time ?? Number.POSITIVE_INFINITY, file[0]?.time ?? Number.POSITIVE_INFINITY);
  if (first === null || begin === Number.POSITIVE_INFINITY) return null;
  const day = progress === null ? Math.floor(begin / secondsOfDay) : dayOfHour(progress.hour + 1);
  const start = progress === null ? Math.floor(begin / secondsOfBucket) * secondsOfBucket : day * secondsOfDay;

  const tokens = wholeTokens(chain, file);
  let { decimals, isPending } = await queries.decimalsOf(tokens);
  if (isPending) return null;
  const decimalsOf = (token: Address): number | null =>
    token === nativeTokenAddress ? chain.nativeToken.decimals : (decimals.get(token) ?? null);
  const model = createPriceModel({ prices: chain.prices, wrappedNative: chain.wrappedNative, decimalsOf });
  const ignored = new Set<Address>();
  /** Makes the pools among the words known. */
  const meet = async (words: readonly Word[]): Promise<void> => {
    const unknown = new Set(
      words.flatMap((word) => (word.kind === "pool" && !model.knows(word.pool) && !ignored.has(word.pool) ? [word.pool] : [])),
    );
    if (unknown.size === 0) return;
    for (const pool of factories.length === 0 ? [] : await queries.poolsAmong([...unknown], factories)) {
      model.add(pool);
      unknown.delete(pool.pool);
    }
    for (const pool of unknown) ignored.add(pool);
  };

  const { prices, known } = await queries.pricesBefore(day);
  const ledger = createPriceLedger(prices, known);
  let height = await queries.lastBefore(start);
  if (height !== null) {
    const standing = await queries.wordsAt(height.number, factories, feeds);
    await meet(standing);
    for (const word of standing) model.tell(word);
  }
  for (const word of file) if (word.time < start) model.tell(word);
  let waiting: Word[] = file.filter(({ time }) => time >= start);
  let next = 0;
  /** Words before this time are all told of. */
  let horizon = Math.max(height?.time ?? 0, start);
  let bucket = start;
  ledger.enter(bucket);

  const readOn = async (head: Height): Promise<void> => {
    const { words, upTo } = await queries.wordsAfter(height?.number ?? -1, head.number, feeds);
    await meet(words);
    waiting = [...waiting.slice(next), ...words].sort((left, right) => left.time - right.time);
    next = 0;
    height = upTo === head.number ? head : await queries.block(upTo);
    horizon = Math.max(horizon, height?.time ?? 0);
  };
  const closeBucket = async (): Promise<void> => {
    const end = bucket + secondsOfBucket;
    const moved = model.hasMoved(end);
    ledger.close(bucket, moved ? model.pricesUpTo(end) : null);
    bucket = end;
    ledger.enter(bucket);
    if (moved) await nextTurn();
  };

  /** Does the next thing; false where all up to the head is done. */
  const step = async (head: Height): Promise<boolean> => {
    const end = bucket + secondsOfBucket;
    const word = waiting[next];
    if (word !== undefined && word.time < end && word.time <= horizon) {
      model.tell(word);
      next += 1;
    } else if (horizon >= end) await closeBucket();
    else if ((height?.number ?? -1) < head.number) await readOn(head);
    else return false;
    return true;
  };

  return {
    get height() {
      return height;
    },
    advance: async (head) => {
      const until = performance.now() + millisecondsOfPortion;
      if (tokens.some((token) => decimalsOf(token) === null)) ({ decimals, isPending } = await queries.decimalsOf(tokens));
      if (isPending) return { ...ledger.takeOut(bucket, null), isLevel: true };
      while (await step(head)) {
        if (ledger.waiting() >= rowsOfPortion || performance.now() > until) return { ...ledger.takeOut(bucket, null), isLevel: false };
      }
      // Up to the head and with it, which stands since no time yet.
      return { ...ledger.takeOut(bucket, model.pricesUpTo(head.time + 1)), isLevel: true };
    },
  };
}

/** The tokens whose prices are told for a whole one. */
const wholeTokens = ({ prices }: ChainConfig, file: readonly Extract<Word, { kind: "file" }>[]): Address[] => {
  const isToken = (text: string): text is Address => text.length === 42;
  const told = [...prices.feeds.map(({ of }) => of), ...prices.stablecoins.map(({ token }) => token), ...file.map(({ asset }) => asset)];
  return [...new Set(told.filter(isToken))].filter((token) => token !== nativeTokenAddress);
};
