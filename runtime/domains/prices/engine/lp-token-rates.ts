import { type Decimal, decimal, divide, multiply, squareRoot } from "../../../lib/decimal.ts";
import type { Address } from "../../../lib/hex.ts";
import type { Asset } from "./assets.ts";
import type { Market, Markets } from "./markets.ts";
import type { LpTokenBacking } from "./pool-history.ts";
import { isSamePrice, type Prices } from "./prices.ts";
import { approximate } from "./routes.ts";

/**
 * Adds the prices of constant-product pools' LP tokens. An LP token's prices in other pools are ignored: it is worth the reserves that it redeems.
 * `rateFromSources` returns the price of a token from the configured sources, given the price that pools imply, or null.
 */
export function addLpTokenRates(
  rates: Map<Asset, Decimal>,
  { edges, get }: Pick<Markets, "edges" | "get">,
  liquidityFloor: number,
  rateFromSources: (token: Address, poolRate: Decimal | null) => Decimal | null,
): void {
  const lpTokenRates = new Map<Address, Decimal | null>();
  const setRate = (pool: Address, poolRateOf: (market: Market) => Decimal | null): void => {
    const market = get(pool);
    if (market === undefined || market.history.pool.isConcentrated || lpTokenRates.has(pool)) return;
    lpTokenRates.set(pool, rateFromSources(pool, poolRateOf(market)));
  };
  for (const [token, rate] of rates) {
    for (const { pool } of edges.withDepth(token, approximate(rate))) setRate(pool, (market) => lpTokenRate(market, rates, liquidityFloor));
  }
  // An LP token whose pool is below the floor may have a price in other pools, which is ignored as well.
  for (const token of rates.keys()) setRate(token, () => null);
  // Applied last, so that the price of a pool of LP tokens does not depend on the order in which the pools were added.
  for (const [pool, rate] of lpTokenRates) {
    if (rate === null) rates.delete(pool);
    else rates.set(pool, rate);
  }
}

const lpTokenRate = (market: Market, rates: Prices, liquidityFloor: number): Decimal | null => {
  const { tokens, summary } = market.edge;
  const [rate0, rate1] = [rates.get(tokens[0]), rates.get(tokens[1])];
  if (rate0 === undefined || rate1 === undefined || summary.lpTokenBacking === null) return null;
  const isDeep = [rate0, rate1].some((rate, side) => (summary.depths[side] as number) * approximate(rate) >= liquidityFloor);
  if (!isDeep) return null;
  const last = market.lastLpTokenRate;
  if (last !== null && last.backing === summary.lpTokenBacking && isSamePrice(last.rates[0], rate0) && isSamePrice(last.rates[1], rate1)) {
    return last.rate;
  }
  const rate = priceOfLpToken(summary.lpTokenBacking, rate0, rate1);
  market.lastLpTokenRate = { backing: summary.lpTokenBacking, rates: [rate0, rate1], rate };
  return rate;
};

/**
 * The price per smallest unit of a constant-product pool's LP token: 2 × sqrt(reserve0 × price0 × reserve1 × price1) / supply. It depends on the product
 * of the reserves, which a swap leaves nearly unchanged, and on token prices from other sources: pushing a pool out of balance does not change it.
 */
const priceOfLpToken = ({ product, supply }: LpTokenBacking, rate0: Decimal, rate1: Decimal): Decimal =>
  divide(multiply(squareRoot(multiply(decimal(product), multiply(rate0, rate1))), decimal(2n)), decimal(supply));
