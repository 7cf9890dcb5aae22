/** All bitcoins that will ever exist, in satoshi (Bitcoin Core's MAX_MONEY); below 2^53. */
const maxSatoshi = 2_100_000_000_000_000n;
const decimals = 8;
/** A larger exponent cannot be an amount, and would only cost memory. */
const maxExponent = 20;
const amountPattern = /^(0|[1-9]\d{0,15})(?:\.(\d{1,20}))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Converts a bitcoin amount in a node's response to satoshi, exactly. Undefined for more than 8 decimals, even if they are
 * zeros, for negative amounts, and for amounts above the maximum supply.
 */
export function satoshiOf(value: unknown): bigint | undefined {
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== "string") return undefined;
  const match = amountPattern.exec(text);
  if (match === null) return undefined;
  const [, integer = "", fraction = "", exponentText = "0"] = match;
  const exponent = Number(exponentText);
  const zeros = decimals - fraction.length + exponent;
  if (zeros < 0 || Math.abs(exponent) > maxExponent) return undefined;
  const satoshi = BigInt(`${integer}${fraction}`) * 10n ** BigInt(zeros);
  return satoshi <= maxSatoshi ? satoshi : undefined;
}
