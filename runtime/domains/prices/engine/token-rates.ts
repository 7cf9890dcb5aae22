import type { PricesConfig } from "../../../config/prices.ts";
import type { Decimal } from "../../../lib/decimal.ts";
import type { Address } from "../../../lib/hex.ts";
import { type Edges, type PricedHop, priceFromPools } from "./routes.ts";
import type { TokenSources } from "./sources.ts";

/** Token prices from a chain's configured sources, in order of precedence. */
export interface TokenRates {
  /** The price from the first source that has one. `poolRate` is the price that pools imply. */
  rateOf(token: Address, poolRate: Decimal | null, time: number): Decimal | null;
  /** The prices of all tokens at a time, except LP tokens. */
  allAt(time: number): Map<Address, Decimal>;
}

/** Creates a chain's token prices. */
export function createTokenRates(prices: PricesConfig, sources: TokenSources, edges: Edges): TokenRates {
  const usesPools = prices.sources.includes("pools");
  const sourcesBeforePools = prices.sources.slice(0, Math.max(0, prices.sources.indexOf("pools"))).filter((source) => source !== "pools");
  const hops = new Map<Address, PricedHop>();

  const rateOf: TokenRates["rateOf"] = (token, poolRate, time) => {
    for (const source of prices.sources) {
      const rate = source === "pools" ? poolRate : sources.rate(source, token, time);
      if (rate !== null) return rate;
    }
    return null;
  };
  /**
   * Whether price paths may start at a token: it has a price from a source that precedes pools, or it is a stablecoin, because paths must start somewhere.
   * If pools are the first source, other sources are used only for tokens that no path reaches.
   */
  const isStart = (token: Address, time: number): boolean =>
    sources.isStablecoin(token) || sourcesBeforePools.some((source) => sources.rate(source, token, time) !== null);
  const ratesFromPools = (time: number): Map<Address, Decimal> => {
    const starts = new Map<Address, Decimal>();
    const others = new Map<Address, Decimal>();
    for (const token of sources.anchors) {
      const rate = rateOf(token, null, time);
      if (rate !== null) (isStart(token, time) ? starts : others).set(token, rate);
    }
    const ratesFrom = (anchors: ReadonlyMap<Address, Decimal>) =>
      priceFromPools(anchors, sources.anchors, edges, prices.liquidityFloor, hops);
    const rates = ratesFrom(starts);
    const missing = [...others].filter(([token]) => !rates.has(token));
    return missing.length === 0 ? rates : ratesFrom(new Map([...starts, ...missing]));
  };

  return {
    rateOf,
    allAt: (time) => {
      const rates = usesPools ? ratesFromPools(time) : new Map<Address, Decimal>();
      for (const token of sources.tokens) {
        const rate = rateOf(token, rates.get(token) ?? null, time);
        if (rate !== null) rates.set(token, rate);
      }
      return rates;
    },
  };
}
