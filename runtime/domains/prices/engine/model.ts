import type { Decimal } from "../../../lib/decimal.ts";
import { type Address, nativeTokenAddress } from "../../../lib/hex.ts";
import { type Asset, createPriceAddressOf } from "./assets.ts";
import { addLpTokenRates } from "./lp-token-rates.ts";
import { createMarkets } from "./markets.ts";
import type { Observation, PricedPool } from "./observations.ts";
import type { Prices } from "./prices.ts";
import { createTokenSources, type PriceSettings } from "./sources.ts";
import { createTokenRates } from "./token-rates.ts";

/** Computes prices from observations of pools, feeds and the operator's imported prices, in chronological order. */
export interface PriceModel {
  hasPool(pool: Address): boolean;
  addPool(pool: PricedPool): void;
  observe(observation: Observation): void;
  /** All known prices over the bucket that ends at a time, from the observations before it; null if they equal the previous bucket's prices. */
  closeBucket(time: number): Prices | null;
  /** All known prices over the bucket that ends at a time after the last closed bucket. The call does not affect later buckets. */
  pricesAt(time: number): Prices;
}

/** A chain's price model, without observations. */
export function createPriceModel(settings: PriceSettings): PriceModel {
  const { prices, wrappedNative } = settings;
  const usesPools = prices.sources.includes("pools");
  const sources = createTokenSources(settings);
  const markets = createMarkets(prices.liquidityFloor, createPriceAddressOf(wrappedNative));
  const tokens = createTokenRates(prices, sources, markets.edges);
  let hasObserved = true;
  let expiry = Number.POSITIVE_INFINITY;

  const pricesAt = (time: number): Prices => {
    markets.summarize(time);
    const rates: Map<Asset, Decimal> = tokens.allAt(time);
    if (usesPools) {
      addLpTokenRates(rates, markets, prices.liquidityFloor, (token, poolRate) =>
        sources.tokens.has(token) ? tokens.rateOf(token, poolRate, time) : poolRate,
      );
    }
    for (const [asset, rate] of sources.currencyRates(time)) rates.set(asset, rate);
    const native = rates.get(nativeTokenAddress);
    if (native !== undefined) for (const token of wrappedNative) rates.set(token, native);
    return rates;
  };

  return {
    hasPool: (pool) => markets.get(pool) !== undefined,
    addPool: markets.add,
    observe: (observation) => {
      hasObserved = true;
      if (observation.kind === "pool") markets.observe(observation);
      else sources.observe(observation);
    },
    closeBucket: (time) => {
      if (!hasObserved && !markets.hasRecentChanges() && time < expiry) return null;
      const rates = pricesAt(time);
      markets.trim(time);
      hasObserved = false;
      expiry = sources.nextExpiry(time);
      return rates;
    },
    pricesAt,
  };
}
