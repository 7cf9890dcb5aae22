import { add, type Decimal, decimal, divide, multiply, parseDecimal, shift } from "../../../lib/decimal.ts";
import type { PoolState, TokenState } from "../../pools/queries/state.ts";
import type { Rate } from "../../prices/queries/rates.ts";

/** The rates of a pool's tokens. */
export type PairRates = readonly [Rate, Rate];

export const zeroValue = decimal(0n);

/** The value of both tokens' amounts; null if an amount or a rate is unknown. */
export function pairValue([amount0, amount1]: readonly [string | null, string | null], [first, second]: PairRates): Decimal | null {
  if (amount0 === null || amount1 === null || first === null || second === null) return null;
  return add(multiply(parseDecimal(amount0), first), multiply(parseDecimal(amount1), second));
}

/** The value of a pool's reserves; null if a reserve or a rate is unknown. */
export const liquidityValue = ({ reserve0, reserve1 }: Pick<PoolState, "reserve0" | "reserve1">, rates: PairRates): Decimal | null =>
  pairValue([reserve0, reserve1], rates);

/** Amounts into a pool and out of it, as decimal digits in the smallest unit. */
export type SwapAmounts = Pick<PoolState, "amount0_in" | "amount0_out" | "amount1_in" | "amount1_out">;

/**
 * The value of swaps: the value of the amounts in if both prices are known, otherwise of the priced token's amounts, in or out. Null if neither price
 * is known.
 */
export function swapValue(moved: SwapAmounts, [first, second]: PairRates): Decimal | null {
  const amountOf = (amount: keyof SwapAmounts) => parseDecimal(moved[amount]);
  if (first !== null && second !== null) return add(multiply(amountOf("amount0_in"), first), multiply(amountOf("amount1_in"), second));
  if (first !== null) return multiply(add(amountOf("amount0_in"), amountOf("amount0_out")), first);
  if (second !== null) return multiply(add(amountOf("amount1_in"), amountOf("amount1_out")), second);
  return null;
}

/** The value of a pool's swaps between two of its states; 0 without swaps, even if no price is known. */
export function volumeValue(before: PoolState, after: PoolState, rates: PairRates): Decimal | null {
  if (after.swaps === before.swaps) return zeroValue;
  const moved = (amount: keyof SwapAmounts) => String(BigInt(after[amount]) - BigInt(before[amount]));
  return swapValue(
    {
      amount0_in: moved("amount0_in"),
      amount0_out: moved("amount0_out"),
      amount1_in: moved("amount1_in"),
      amount1_out: moved("amount1_out"),
    },
    rates,
  );
}

/**
 * The volume of consecutive spans, newest first. `states` are the pool's states at the end of each span and at the beginning of the last one; `rates`
 * are the rates at the end of each span. Null if the volume of any span is unknown.
 */
export function volumeOfSpans(states: readonly PoolState[], rates: readonly PairRates[]): Decimal | null {
  let sum: Decimal | null = zeroValue;
  for (const [position, pair] of rates.entries()) {
    const [after, before] = [states[position], states[position + 1]];
    const span: Decimal | null = after === undefined || before === undefined ? null : volumeValue(before, after, pair);
    if (span === null) return null;
    sum = add(sum, span);
  }
  return sum;
}

/** The fees that providers earn on a volume; null if the volume or the exchange's fee is unknown. */
export const feesOf = (volume: Decimal | null, feePpm: number | undefined): Decimal | null =>
  volume === null || feePpm === undefined ? null : shift(multiply(volume, decimal(BigInt(feePpm))), -6);

/** A year's fees, extrapolated from a day, as a fraction of the liquidity; null if one of them is unknown or the liquidity is 0. */
export const annualizedFee = (fees: Decimal | null, liquidity: Decimal | null): Decimal | null =>
  fees === null || liquidity === null || liquidity.digits === 0n ? null : divide(multiply(fees, decimal(365n)), liquidity);

/** The growth of a cumulative sum between two of its values, as decimal digits. */
export const growthBetween = (before: string, after: string): string => (before === after ? "0" : String(BigInt(after) - BigInt(before)));

/** The volume of a token between two of its states: amounts in plus amounts out, so that each swap is counted once. */
export const volumeBetween = (before: TokenState, after: TokenState): string =>
  String(BigInt(after.amount_in) + BigInt(after.amount_out) - BigInt(before.amount_in) - BigInt(before.amount_out));

/** The share of a reserve that an LP token balance redeems, rounded down as in the pool's own payout; null if an input is unknown. */
export function shareOf(reserve: string | null, balance: string | null, supply: string | null): string | null {
  if (reserve === null || balance === null || supply === null || BigInt(supply) === 0n) return null;
  return String((BigInt(reserve) * BigInt(balance)) / BigInt(supply));
}
