import type { Rate } from "../../domains/prices/queries/rates.ts";
import { add, compare, type Decimal, decimal, decimalOf, divide, multiply, shift } from "../../lib/decimal.ts";
import { type Address, nativeTokenAddress, zeroAddress } from "../../lib/hex.ts";

/** Days of which the cheapest sale is the floor of the last one. */
export const floorDays = 30;

/** A price in whole native tokens and in the currency of an answer; null where it is not known. */
export interface Worth {
  readonly native: Decimal | null;
  readonly quote: Decimal | null;
}

/** What one smallest unit of a payment token is worth at some time. */
export type PaymentRate = (token: Address) => Worth;

/** An amount of a payment token. */
export interface Paid {
  readonly payment_token: Address;
  readonly amount: string;
}

/**
 * What payment tokens are worth by what they and the native token are worth in a currency: native by their quotient. A wrapped native token is a native one, whatever its
 * own price; an unknown token is worth nothing that is known.
 */
export const paymentRate =
  (rate: (asset: Address) => Rate, wrappedNative: readonly Address[], nativeDecimals: number): PaymentRate =>
  (token) => {
    if (token === zeroAddress) return { native: null, quote: null };
    const ofNative = rate(nativeTokenAddress);
    if (token === nativeTokenAddress || wrappedNative.includes(token)) return { native: decimal(1n, nativeDecimals), quote: ofNative };
    const quote = rate(token);
    const isKnown = quote !== null && ofNative !== null && ofNative.digits > 0n;
    return { native: isKnown ? shift(divide(quote, ofNative), -nativeDecimals) : null, quote };
  };

const valued = ({ payment_token, amount }: Paid, rate: PaymentRate): Worth => {
  const { native, quote } = rate(payment_token);
  const value = decimalOf(amount);
  return { native: native === null ? null : multiply(value, native), quote: quote === null ? null : multiply(value, quote) };
};

/** The sum of what is known of some payments; null where there are some and nothing is known of any. */
export const volumeOf = (payments: readonly Paid[], rate: PaymentRate): Worth => {
  const values = payments.map((paid) => valued(paid, rate));
  const sum = (which: keyof Worth): Decimal | null => {
    const known = values.flatMap((value) => value[which] ?? []);
    return known.length === 0 && values.length > 0 ? null : known.reduce(add, decimal(0n));
  };
  return { native: sum("native"), quote: sum("quote") };
};

/** The lowest of some prices, in each unit the lowest of those that are known in it. */
export const floorOf = (prices: readonly Paid[], rate: PaymentRate): Worth => {
  const values = prices.map((paid) => valued(paid, rate));
  const lowest = (which: keyof Worth): Decimal | null =>
    values
      .flatMap((value) => value[which] ?? [])
      .reduce<Decimal | null>((best, value) => (best === null || compare(value, best) < 0 ? value : best), null);
  return { native: lowest("native"), quote: lowest("quote") };
};
