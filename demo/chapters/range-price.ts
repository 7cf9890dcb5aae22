import type { Address } from "../../runtime/lib/hex.ts";
import type { Market } from "./exchange-prices.ts";

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

/** What Uniswap V3 calls sqrtPriceX96 at the market's rates: the root of base units of the second token for one of the first, times 2^96. */
export const sqrtPriceAt = (market: Market, [token0, token1]: readonly [Address, Address]): bigint => {
  const [first, second] = [market.rate(token0), market.rate(token1)];
  return squareRoot(((first.price * second.unit) << 192n) / (second.price * first.unit));
};
