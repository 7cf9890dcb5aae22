import { compare, type Decimal, decimal, multiply } from "../../../lib/decimal.ts";
import { type Address, nativeTokenAddress } from "../../../lib/hex.ts";
import type { Asset } from "../assets.ts";
import { createPoolBook, type PoolBook, standsSince, summarize, tellPool, trimPool, wordBefore } from "./pool-book.ts";
import { priceOfPoolToken } from "./pool-token.ts";
import { type Edge, priceByPools, type Step } from "./routes.ts";
import { canonicalIn, createTokenSources, type PriceSettings } from "./sources.ts";
import type { PoolWord, PricedPool, Word } from "./words.ts";

/** A price is what stood in the middle of so much time. */
export const secondsOfBucket = 900;

/** Makes prices of what pools, feeds and the operator's file say, word by word in the order of their times. */
export interface PriceModel {
  knows(pool: Address): boolean;
  /** A pool of a configured exchange. */
  add(pool: PricedPool): void;
  tell(word: Word): void;
  /** Whether prices up to a time may differ from those that were made last. */
  hasMoved(time: number): boolean;
  /** All known prices over the quarter of an hour up to a time, by what was told of before it. */
  pricesUpTo(time: number): ReadonlyMap<Asset, Decimal>;
}

interface Market {
  readonly book: PoolBook;
  readonly edge: Edge;
}

/** Prices of one chain, from nothing. */
export function createPriceModel(settings: PriceSettings): PriceModel {
  const { prices, wrappedNative } = settings;
  const canonical = canonicalIn(wrappedNative);
  const sources = createTokenSources(settings);
  const markets = new Map<Address, Market>();
  const edges = new Map<Address, Edge[]>();
  const steps = new Map<Address, Step>();
  /** Pools that changed in the span, or right before it. */
  const moving = new Set<Market>();
  const floor = decimal(BigInt(Math.round(prices.liquidityFloor * 1e6)), 6);
  let isTold = true;
  let expiry = Number.POSITIVE_INFINITY;

  const summarizeMoving = (time: number): void => {
    const from = time - secondsOfBucket;
    for (const market of moving) {
      market.edge.summary = summarize(market.book, from, time);
      // The head is looked at before the running quarter ends: what that quarter needs is kept.
      trimPool(market.book, from - secondsOfBucket);
      if (standsSince(market.book, from)) moving.delete(market);
    }
  };
  const bySources = (token: Address, time: number): Decimal | null => {
    for (const source of prices.sources) {
      const rate = source === "pools" ? null : sources.rate(source, token, time);
      if (rate !== null) return rate;
    }
    return null;
  };
  const anchorsAt = (time: number): Map<Address, Decimal> => {
    const anchors = new Map<Address, Decimal>();
    for (const token of sources.anchors) {
      const rate = bySources(token, time);
      if (rate !== null) anchors.set(token, rate);
    }
    return anchors;
  };
  /** Of each token the first source that knows it. */
  const tokensAt = (time: number): Map<Address, Decimal> => {
    const anchors = anchorsAt(time);
    const rates = prices.sources.includes("pools") ? priceByPools(anchors, edges, prices.liquidityFloor, steps) : anchors;
    for (const token of sources.tokens) {
      for (const source of prices.sources) {
        const rate = source === "pools" ? (rates.get(token) ?? null) : sources.rate(source, token, time);
        if (rate === null) continue;
        rates.set(token, rate);
        break;
      }
    }
    return rates;
  };
  /** The own tokens of constant-product pools that hold more than the floor. */
  const addPoolTokens = (rates: Map<Asset, Decimal>, time: number): void => {
    for (const { book, edge } of markets.values()) {
      if (book.facts.isConcentrated) continue;
      // What others trade it for is no matter: it is worth what it can be handed in for.
      rates.delete(book.facts.pool);
      const [rate0, rate1] = [rates.get(edge.tokens[0]), rates.get(edge.tokens[1])];
      const word = rate0 === undefined || rate1 === undefined ? null : wordBefore(book, time);
      if (word === null || !holdsEnough(word, rate0 as Decimal, rate1 as Decimal, floor)) continue;
      const rate = priceOfPoolToken(word, rate0 as Decimal, rate1 as Decimal);
      if (rate !== null) rates.set(book.facts.pool, rate);
    }
  };

  return {
    knows: (pool) => markets.has(pool),
    add: (facts) => {
      const tokens = [canonical(facts.token0), canonical(facts.token1)] as const;
      const edge: Edge = { pool: facts.pool, tokens, summary: { ratio: null, depths: [0, 0] } };
      markets.set(facts.pool, { book: createPoolBook(facts), edge });
      for (const token of tokens) {
        const known = edges.get(token);
        if (known === undefined) edges.set(token, [edge]);
        else known.push(edge);
      }
    },
    tell: (word) => {
      isTold = true;
      if (word.kind !== "pool") return sources.tell(word);
      const market = markets.get(word.pool);
      if (market === undefined) return;
      tellPool(market.book, word);
      moving.add(market);
    },
    hasMoved: (time) => isTold || moving.size > 0 || time >= expiry,
    pricesUpTo: (time) => {
      summarizeMoving(time);
      const rates: Map<Asset, Decimal> = tokensAt(time);
      addPoolTokens(rates, time);
      for (const [asset, rate] of sources.currencies(time)) rates.set(asset, rate);
      const native = rates.get(nativeTokenAddress);
      if (native !== undefined) for (const token of wrappedNative) rates.set(token, native);
      isTold = false;
      expiry = sources.nextExpiry(time);
      return rates;
    },
  };
}

const holdsEnough = ({ reserve0, reserve1 }: PoolWord, rate0: Decimal, rate1: Decimal, floor: Decimal): boolean =>
  (reserve0 !== null && compare(multiply(decimal(reserve0), rate0), floor) >= 0) ||
  (reserve1 !== null && compare(multiply(decimal(reserve1), rate1), floor) >= 0);

/** The same price: one that was read may have other digits and another scale than the one that was written. */
export const isSame = (left: Decimal | null, right: Decimal | null): boolean =>
  left === right ||
  (left !== null && right !== null && (left.scale === right.scale ? left.digits === right.digits : compare(left, right) === 0));
