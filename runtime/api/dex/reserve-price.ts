/** An amount of a token in its smallest unit, and the power of ten between that and a whole one. */
export interface Reserve {
  readonly amount: string | null;
  readonly decimals: number | null;
}

/** Digits that are kept of a quotient before it becomes a number: more than a number has. */
const digits = 20;

/** Whole tokens of the second kind for one whole token of the first, by the reserves of a pool; null where one is not known or nothing. */
export function priceIn(first: Reserve, second: Reserve): number | null {
  if (first.amount === null || second.amount === null || first.decimals === null || second.decimals === null) return null;
  const [divisor, dividend] = [BigInt(first.amount), BigInt(second.amount)];
  if (divisor <= 0n || dividend <= 0n) return null;
  // Scaled so that the whole quotient has the digits, however small it is.
  const scale = Math.max(0, digits + first.amount.length - second.amount.length);
  const quotient = (dividend * 10n ** BigInt(scale)) / divisor;
  return Number(`${quotient}e${first.decimals - second.decimals - scale}`);
}
