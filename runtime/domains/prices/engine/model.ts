import { compare, type Decimal } from "../../../lib/decimal.ts";
import { type Address, nativeTokenAddress } from "../../../lib/hex.ts";
import type { Asset } from "./assets.ts";
import { createEdgeBook } from "./edge-index.ts";
import type { Observation, PricedPool } from "./observations.ts";
import { createPoolBook, emptySummary, observePool, type PoolBook, type Share, standsSince, summarize, trimPool } from "./pool-history.ts";
import { priceOfPoolToken } from "./pool-token.ts";
import { type Edge, priceByPools, type Step, worthOf } from "./routes.ts";
import { canonicalIn, createTokenSources, type PriceSettings } from "./sources.ts";

/** A price is what stood in the middle of so much time. */
export const secondsOfBucket = 900;

/** Makes prices of what pools, feeds and the operator's file say, word by word in the order of their times. */
export interface PriceModel {
  knows(pool: Address): boolean;
  /** A pool of a configured exchange. */
  add(pool: PricedPool): void;
  tell(word: Observation): void;
  /** All known prices over a quarter of an hour that ends at a time, by what was told of before it; null where they are those of the quarter before. */
  close(time: number): Prices | null;
  /** All known prices over the quarter of an hour up to a time that is after the last closed one's end. What is closed later does not depend on it. */
  look(time: number): Prices;
}

export type Prices = ReadonlyMap<Asset, Decimal>;

interface Market {
  readonly book: PoolBook;
  readonly edge: Edge;
  /** The price of the pool's own token that was computed last, and of what. */
  token: { readonly share: Share; readonly rates: readonly [Decimal, Decimal]; readonly rate: Decimal } | null;
}

/** Prices of one chain, from nothing. */
export function createPriceModel(settings: PriceSettings): PriceModel {
  const { prices, wrappedNative } = settings;
  const canonical = canonicalIn(wrappedNative);
  const sources = createTokenSources(settings);
  const markets = new Map<Address, Market>();
  const edges = createEdgeBook(prices.liquidityFloor);
  const steps = new Map<Address, Step>();
  /** Pools that changed in the quarter that was closed last, or since. */
  const moving = new Set<Market>();
  const asksPools = prices.sources.includes("pools");
  const beforePools = prices.sources.slice(0, Math.max(0, prices.sources.indexOf("pools"))).filter((source) => source !== "pools");
  let isTold = true;
  let expiry = Number.POSITIVE_INFINITY;

  const summarizeMoving = (time: number): void => {
    for (const { edge, book } of moving) {
      edge.summary = summarize(book, time - secondsOfBucket, time);
      edges.changed(edge);
    }
  };
  /** What later quarters need is kept. */
  const settleMoving = (time: number): void => {
    const from = time - secondsOfBucket;
    for (const market of moving) {
      trimPool(market.book, from);
      if (standsSince(market.book, from)) moving.delete(market);
    }
  };
  /** The price by the first source that knows it. `byPools`: what pools say. */
  const rateOf = (token: Address, byPools: Decimal | null, time: number): Decimal | null => {
    for (const source of prices.sources) {
      const rate = source === "pools" ? byPools : sources.rate(source, token, time);
      if (rate !== null) return rate;
    }
    return null;
  };
  /**
   * Paths end at what other sources know. Where pools are to be asked first, that is so only for what no path leads to; but stablecoins are ends in any
   * case, since paths must end somewhere.
   */
  const isEnd = (token: Address, time: number): boolean =>
    sources.isStablecoin(token) || beforePools.some((source) => sources.rate(source, token, time) !== null);
  const ratesByPools = (time: number): Map<Address, Decimal> => {
    const ends = new Map<Address, Decimal>();
    const others = new Map<Address, Decimal>();
    for (const token of sources.anchors) {
      const rate = rateOf(token, null, time);
      if (rate !== null) (isEnd(token, time) ? ends : others).set(token, rate);
    }
    const rates = priceByPools(ends, sources.anchors, edges, prices.liquidityFloor, steps);
    const missing = [...others].filter(([token]) => !rates.has(token));
    return missing.length === 0
      ? rates
      : priceByPools(new Map([...ends, ...missing]), sources.anchors, edges, prices.liquidityFloor, steps);
  };
  const tokensAt = (time: number): Map<Address, Decimal> => {
    const rates = asksPools ? ratesByPools(time) : new Map<Address, Decimal>();
    for (const token of sources.tokens) {
      const rate = rateOf(token, rates.get(token) ?? null, time);
      if (rate !== null) rates.set(token, rate);
    }
    return rates;
  };
  const poolTokenRate = (market: Market, rates: ReadonlyMap<Asset, Decimal>): Decimal | null => {
    const { tokens, summary } = market.edge;
    const [rate0, rate1] = [rates.get(tokens[0]), rates.get(tokens[1])];
    if (rate0 === undefined || rate1 === undefined || summary.share === null) return null;
    const isDeep = [rate0, rate1].some((rate, side) => (summary.depths[side] as number) * worthOf(rate) >= prices.liquidityFloor);
    if (!isDeep) return null;
    const last = market.token;
    if (last !== null && last.share === summary.share && isSame(last.rates[0], rate0) && isSame(last.rates[1], rate1)) return last.rate;
    const rate = priceOfPoolToken(summary.share, rate0, rate1);
    market.token = { share: summary.share, rates: [rate0, rate1], rate };
    return rate;
  };
  /** The own tokens of constant-product pools. What others trade one for is no matter: it is worth what it can be handed in for. */
  const addPoolTokens = (rates: Map<Asset, Decimal>, time: number): void => {
    if (!asksPools) return;
    const found = new Map<Address, Decimal | null>();
    const find = (pool: Address, byPools: (market: Market) => Decimal | null): void => {
      const market = markets.get(pool);
      if (market === undefined || market.book.facts.isConcentrated || found.has(pool)) return;
      const rate = byPools(market);
      found.set(pool, sources.tokens.has(pool) ? rateOf(pool, rate, time) : rate);
    };
    for (const [token, rate] of rates) {
      for (const { pool } of edges.ofDepth(token, worthOf(rate))) find(pool, (market) => poolTokenRate(market, rates));
    }
    // One that is priced by now, and is of a pool that holds too little.
    for (const token of rates.keys()) find(token, () => null);
    // Only now, so that a pool of such tokens is priced the same in whatever order the pools became known.
    for (const [pool, rate] of found) {
      if (rate === null) rates.delete(pool);
      else rates.set(pool, rate);
    }
  };
  const look = (time: number): Prices => {
    summarizeMoving(time);
    const rates: Map<Asset, Decimal> = tokensAt(time);
    addPoolTokens(rates, time);
    for (const [asset, rate] of sources.currencies(time)) rates.set(asset, rate);
    const native = rates.get(nativeTokenAddress);
    if (native !== undefined) for (const token of wrappedNative) rates.set(token, native);
    return rates;
  };

  return {
    knows: (pool) => markets.has(pool),
    add: (facts) => {
      const tokens = [canonical(facts.token0), canonical(facts.token1)] as const;
      const edge: Edge = { pool: facts.pool, tokens, summary: emptySummary };
      markets.set(facts.pool, { book: createPoolBook(facts), edge, token: null });
      edges.add(edge);
    },
    tell: (word) => {
      isTold = true;
      if (word.kind !== "pool") return sources.tell(word);
      const market = markets.get(word.pool);
      if (market === undefined) return;
      observePool(market.book, word);
      moving.add(market);
    },
    close: (time) => {
      if (!isTold && moving.size === 0 && time < expiry) return null;
      const rates = look(time);
      settleMoving(time);
      isTold = false;
      expiry = sources.nextExpiry(time);
      return rates;
    },
    look,
  };
}

/** The same price: one that was read may have other digits and another scale than the one that was written. */
export const isSame = (left: Decimal | null, right: Decimal | null): boolean =>
  left === right ||
  (left !== null && right !== null && (left.scale === right.scale ? left.digits === right.digits : compare(left, right) === 0));
