import { type Decimal, decimal, divide, multiply, squareRoot } from "../../../lib/decimal.ts";
import type { Share } from "./pool-history.ts";

/**
 * What one smallest unit of a constant-product pool's own token is worth: 2 × sqrt(reserve0 × price0 × reserve1 × price1) / supply. By the product of the reserves,
 * which a swap does not lower and hardly raises, and by the tokens' prices from elsewhere, so a pool that was pushed out of balance is worth what it was
 * worth before.
 */
export const priceOfPoolToken = ({ product, supply }: Share, rate0: Decimal, rate1: Decimal): Decimal =>
  divide(multiply(squareRoot(multiply(decimal(product), multiply(rate0, rate1))), decimal(2n)), decimal(supply));
