import { setImmediate as nextTurn } from "node:timers/promises";
import type { ChainConfig } from "../../../../config/config.ts";
import { type Address, nativeTokenAddress } from "../../../../lib/hex.ts";
import { secondsPerDay } from "../../../../lib/time.ts";
import { secondsPerBucket } from "../../engine/markets.ts";
import { createPriceModel, type PriceModel } from "../../engine/model.ts";
import type { FileObservation } from "../../engine/observations.ts";
import { createCandleBuilder, type Portion } from "./candle-builder.ts";
import { dayOfHour, type EvidenceQueries, type PriceProgress } from "./evidence.ts";
import type { BlockRef } from "./evidence-blocks.ts";
import { createObservationStream, createPoolDiscovery, type ObservationStream } from "./observation-stream.ts";

/** Limits of a portion: it is written after this many rows or milliseconds. */
export interface PortionBounds {
  readonly maxRows: number;
  readonly maxMilliseconds: number;
}

const defaultBounds: PortionBounds = { maxRows: 20_000, maxMilliseconds: 1_000 };
/** Max time for which the event loop is blocked. */
const maxBlockingMilliseconds = 10;

/** Computes prices portion by portion. */
export interface PriceComputer {
  /** The last processed block; null before the first. The computed prices depend only on this block and those below it. */
  readonly block: BlockRef | null;
  /** The next portion, up to a head; `isAtHead` if it reaches the head. Null if a processed block was replaced, after which the computer is unusable. */
  advance(head: BlockRef): Promise<(Portion & { readonly isAtHead: boolean }) | null>;
}

/** The time from which prices are computed, and its UTC day. */
interface Start {
  readonly time: number;
  readonly day: number;
}

/**
 * Resumes computation at the start of the day after the last completed hour, or starts from the beginning. Null while the decimals of a token priced in
 * whole units have not been read, or if there is nothing to compute.
 */
export async function createPriceComputer(
  chain: ChainConfig,
  queries: EvidenceQueries,
  progress: PriceProgress | null,
  bounds: PortionBounds = defaultBounds,
): Promise<PriceComputer | null> {
  const [imported, first] = await Promise.all([queries.fileObservations(), queries.first()]);
  if (first === null) return null;
  const start = startOf(progress, Math.min(first.time, imported[0]?.time ?? Number.POSITIVE_INFINITY));
  const decimals = await createDecimals(chain, queries, imported);
  if (decimals.isPending()) return null;
  const model = createPriceModel({ prices: chain.prices, wrappedNative: chain.wrappedNative, decimalsOf: decimals.decimalsOf });
  const { prices, pricedAssets } = await queries.pricesBefore(start.day, progress?.hour ?? -1);
  const candles = createCandleBuilder(prices, pricedAssets);
  const stream = await openStream(chain, queries, model, imported, start);
  const processBuckets = createBucketProcessor(model, candles, stream, start.time, bounds);
  return {
    get block() {
      return stream.block;
    },
    advance: async (head) => {
      await decimals.refresh();
      if (decimals.isPending()) return { ...candles.takeRows(null), isAtHead: true };
      const end = await processBuckets(head);
      if (end === "replaced") return null;
      // One second later than the head, so that its state is included.
      return { ...candles.takeRows(end === "at head" ? model.pricesAt(head.time + 1) : null), isAtHead: end === "at head" };
    },
  };
}

const startOf = (progress: PriceProgress | null, firstTime: number): Start => {
  if (progress === null) {
    return { day: Math.floor(firstTime / secondsPerDay), time: Math.floor(firstTime / secondsPerBucket) * secondsPerBucket };
  }
  const day = dayOfHour(progress.hour + 1);
  return { day, time: day * secondsPerDay };
};

/** Brings a model to the state before the start, and opens the stream of later observations. */
const openStream = async (
  chain: ChainConfig,
  queries: EvidenceQueries,
  model: PriceModel,
  imported: readonly FileObservation[],
  { time }: Start,
): Promise<ObservationStream> => {
  const factories = chain.exchanges.map(({ factory }) => factory);
  const feeds = chain.prices.feeds.flatMap(({ aggregators }) => aggregators);
  const discoverPools = createPoolDiscovery(queries, model, factories);
  const block = await queries.lastBefore(time);
  if (block !== null) {
    const latest = await queries.observationsAt(block.number, factories, feeds);
    await discoverPools(latest);
    const releaseEventLoop = createReleaser();
    for (const observation of latest) {
      model.observe(observation);
      await releaseEventLoop();
    }
  }
  for (const observation of imported) if (observation.time < time) model.observe(observation);
  return createObservationStream(queries, feeds, { time, block, imported: imported.filter((price) => price.time >= time) }, discoverPools);
};

/** Creates a function that processes observations bucket by bucket, until the bounds or the head are reached or the chain is reorganised. */
const createBucketProcessor = (
  model: PriceModel,
  candles: ReturnType<typeof createCandleBuilder>,
  stream: ObservationStream,
  start: number,
  bounds: PortionBounds,
) => {
  let bucket = start;
  candles.advance(bucket);
  const step = async (head: BlockRef): Promise<"done" | "at head" | "replaced"> => {
    const end = bucket + secondsPerBucket;
    const observation = stream.next(end);
    if (observation !== undefined) model.observe(observation);
    else if (stream.horizon >= end) {
      candles.close(model.closeBucket(end));
      bucket = end;
      candles.advance(bucket);
    } else if ((stream.block?.number ?? -1) >= head.number) return "at head";
    else if (!(await stream.read(head))) return "replaced";
    return "done";
  };
  return async (head: BlockRef): Promise<"bounded" | "at head" | "replaced"> => {
    const releaseEventLoop = createReleaser();
    const until = performance.now() + bounds.maxMilliseconds;
    for (;;) {
      const end = await step(head);
      if (end !== "done") return end;
      if (candles.pendingRowCount() >= bounds.maxRows || performance.now() > until) return "bounded";
      await releaseEventLoop();
    }
  };
};

/** The decimals of the tokens whose configured prices are per whole token. */
const createDecimals = async (chain: ChainConfig, queries: EvidenceQueries, imported: readonly FileObservation[]) => {
  const tokens = tokensWithWholePrices(chain, imported);
  let { decimals, isPending } = await queries.decimalsOf(tokens);
  const decimalsOf = (token: Address): number | null =>
    token === nativeTokenAddress ? chain.nativeToken.decimals : (decimals.get(token) ?? null);
  return {
    decimalsOf,
    isPending: (): boolean => isPending,
    /** Queries again if any decimals are unknown. */
    refresh: async (): Promise<void> => {
      if (tokens.some((token) => decimalsOf(token) === null)) ({ decimals, isPending } = await queries.decimalsOf(tokens));
    },
  };
};

/** The tokens whose configured prices are per whole token: tokens with a feed or an imported price, and stablecoins; without the native token. */
const tokensWithWholePrices = ({ prices }: ChainConfig, imported: readonly FileObservation[]): Address[] => {
  const isToken = (text: string): text is Address => text.length === 42;
  const assets = [
    ...prices.feeds.map(({ of }) => of),
    ...prices.stablecoins.map(({ token }) => token),
    ...imported.map(({ asset }) => asset),
  ];
  return [...new Set(assets.filter(isToken))].filter((token) => token !== nativeTokenAddress);
};

/** Creates a function that releases the event loop if it was blocked for too long. */
const createReleaser = () => {
  let turnStart = performance.now();
  return async (): Promise<void> => {
    if (performance.now() - turnStart < maxBlockingMilliseconds) return;
    await nextTurn();
    turnStart = performance.now();
  };
};
