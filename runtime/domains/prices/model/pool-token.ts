import { type Decimal, decimal, divide, multiply, squareRoot } from "../../../lib/decimal.ts";
import type { PoolWord } from "./words.ts";

/**
 * What one smallest unit of a constant-product pool's own token is worth: 2 × sqrt(reserve0 × price0 × reserve1 × price1) / supply. By the product of the reserves,
 * which a swap does not lower and hardly raises, and by the tokens' prices from elsewhere, so a pool that was pushed out of balance is worth what it was
 * worth before. Null where something of it is not known or nothing.
 */
export function priceOfPoolToken({ reserve0, reserve1, supply }: PoolWord, rate0: Decimal, rate1: Decimal): Decimal | null {
  if (reserve0 === null || reserve1 === null || supply === null || supply <= 0n || reserve0 === 0n || reserve1 === 0n) return null;
  const sides = multiply(multiply(decimal(reserve0), rate0), multiply(decimal(reserve1), rate1));
  return divide(multiply(squareRoot(sides), decimal(2n)), decimal(supply));
}
