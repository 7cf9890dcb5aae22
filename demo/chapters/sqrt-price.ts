import type { Address } from "../../runtime/lib/hex.ts";
import type { MarketPrices } from "./market-prices.ts";

/** The square root, rounded down. */
const squareRoot = (value: bigint): bigint => {
  if (value < 2n) return value;
  let guess = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (guess + value / guess) / 2n;
    if (next >= guess) return guess;
    guess = next;
  }
};

/** Returns the sqrtPriceX96 of Uniswap V3 at the market prices: the square root of base units of token1 per base unit of token0, times 2^96. */
export const sqrtPriceAt = (prices: MarketPrices, [token0, token1]: readonly [Address, Address]): bigint => {
  const [first, second] = [prices.rate(token0), prices.rate(token1)];
  return squareRoot(((first.price * second.unit) << 192n) / (second.price * first.unit));
};
