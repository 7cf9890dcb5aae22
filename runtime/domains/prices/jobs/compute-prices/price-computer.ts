import { setImmediate as nextTurn } from "node:timers/promises";
import type { ChainConfig } from "../../../../config/config.ts";
import { type Address, nativeTokenAddress } from "../../../../lib/hex.ts";
import { secondsOfDay } from "../../../../lib/time.ts";
import { createPriceModel, secondsOfBucket } from "../../engine/model.ts";
import type { Observation } from "../../engine/observations.ts";
import { createPriceLedger, type Portion } from "./candle-builder.ts";
import { dayOfHour, type EvidenceQueries, type Height, type Progress } from "./evidence.ts";

/** What bounds a portion: rows and milliseconds after which it is written. */
export interface PortionBounds {
  readonly rows: number;
  readonly milliseconds: number;
}

const defaultBounds: PortionBounds = { rows: 20_000, milliseconds: 1_000 };
/** After so long others get their turn. */
const millisecondsAtOnce = 10;

/** Goes through what prices are made of, portion by portion. */
export interface PriceMaker {
  /** The block that it has come to; null before the first. What it has made follows from this block and those below it. */
  readonly height: Height | null;
  /** The next portion, at most up to a head; `isLevel` where that is reached. Null where blocks that it was made of are gone: the maker is of no use then. */
  advance(head: Height): Promise<(Portion & { readonly isLevel: boolean }) | null>;
}

/**
 * Takes up the making of prices where it was left, at the beginning of a day; or from the beginning. Null while a token whose prices are told for whole
 * units has yet to be asked for its decimals, or where there is nothing to begin with.
 */
export async function createPriceMaker(
  chain: ChainConfig,
  queries: EvidenceQueries,
  progress: Progress | null,
  bounds: PortionBounds = defaultBounds,
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
  const meet = async (words: readonly Observation[]): Promise<void> => {
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

  const { prices, known } = await queries.pricesBefore(day, progress?.hour ?? -1);
  const ledger = createPriceLedger(prices, known);
  let height = await queries.lastBefore(start);
  if (height !== null) {
    const standing = await queries.wordsAt(height.number, factories, feeds);
    await meet(standing);
    const rest = createRests();
    for (const word of standing) {
      model.tell(word);
      await rest();
    }
  }
  for (const word of file) if (word.time < start) model.tell(word);
  let waiting: Observation[] = file.filter(({ time }) => time >= start);
  let next = 0;
  /** Words before this time are all told of. */
  let horizon = Math.max(height?.time ?? 0, start);
  let bucket = start;
  ledger.enter(bucket);

  /** False where the chain was reorganised. */
  const readOn = async (head: Height): Promise<boolean> => {
    const read = await queries.wordsAfter(height, head, feeds);
    if (read === null) return false;
    await meet(read.words);
    waiting = [...waiting.slice(next), ...read.words].sort((left, right) => left.time - right.time);
    next = 0;
    height = read.upTo;
    horizon = Math.max(horizon, height.time);
    return true;
  };
  const closeBucket = (): void => {
    const end = bucket + secondsOfBucket;
    ledger.close(model.close(end));
    bucket = end;
    ledger.enter(bucket);
  };
  /** Does the next thing. */
  const step = async (head: Height): Promise<"done" | "level" | "gone"> => {
    const end = bucket + secondsOfBucket;
    const word = waiting[next];
    if (word !== undefined && word.time < end && word.time <= horizon) {
      model.tell(word);
      next += 1;
    } else if (horizon >= end) closeBucket();
    else if ((height?.number ?? -1) >= head.number) return "level";
    else if (!(await readOn(head))) return "gone";
    return "done";
  };
  /** Does what it can, up to the bounds or a head. */
  const goOn = async (head: Height): Promise<"cut" | "level" | "gone"> => {
    const rest = createRests();
    const until = performance.now() + bounds.milliseconds;
    for (;;) {
      const end = await step(head);
      if (end !== "done") return end;
      if (ledger.waiting() >= bounds.rows || performance.now() > until) return "cut";
      await rest();
    }
  };

  return {
    get height() {
      return height;
    },
    advance: async (head) => {
      if (tokens.some((token) => decimalsOf(token) === null)) ({ decimals, isPending } = await queries.decimalsOf(tokens));
      if (isPending) return { ...ledger.takeOut(null), isLevel: true };
      const end = await goOn(head);
      if (end === "gone") return null;
      // Up to the head and with it, which stands since no time yet.
      return { ...ledger.takeOut(end === "level" ? model.look(head.time + 1) : null), isLevel: end === "level" };
    },
  };
}

/** Lets others have their turn where long enough passed since the last one. */
const createRests = () => {
  let turn = performance.now();
  return async (): Promise<void> => {
    if (performance.now() - turn < millisecondsAtOnce) return;
    await nextTurn();
    turn = performance.now();
  };
};

/** The tokens whose prices are told for a whole one. */
const wholeTokens = ({ prices }: ChainConfig, file: readonly Extract<Observation, { kind: "file" }>[]): Address[] => {
  const isToken = (text: string): text is Address => text.length === 42;
  const told = [...prices.feeds.map(({ of }) => of), ...prices.stablecoins.map(({ token }) => token), ...file.map(({ asset }) => asset)];
  return [...new Set(told.filter(isToken))].filter((token) => token !== nativeTokenAddress);
};
