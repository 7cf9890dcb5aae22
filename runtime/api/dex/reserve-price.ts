import { powerOfTen } from "../../lib/decimal.ts";

/** A token amount in smallest units, and the token's decimals. */
export interface Reserve {
  readonly amount: string | null;
  readonly decimals: number | null;
}

/** The quotient's precision before it is converted to a number, which has fewer digits. */
const digits = 20;

/** The price of one whole token from the first reserve, in whole tokens from the second; null if a reserve is unknown or 0. */
export function reservePrice(first: Reserve, second: Reserve): number | null {
  if (first.amount === null || second.amount === null || first.decimals === null || second.decimals === null) return null;
  const [divisor, dividend] = [BigInt(first.amount), BigInt(second.amount)];
  if (divisor <= 0n || dividend <= 0n) return null;
  // Scaled so that the integer quotient has enough digits, however small it is.
  const scale = Math.max(0, digits + first.amount.length - second.amount.length);
  const quotient = (dividend * powerOfTen(scale)) / divisor;
  return Number(`${quotient}e${first.decimals - second.decimals - scale}`);
}
