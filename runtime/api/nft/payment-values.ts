import type { Rate } from "../../domains/prices/queries/rates.ts";
import { add, compare, type Decimal, decimal, divide, multiply, parseDecimal, shift } from "../../lib/decimal.ts";
import { type Address, nativeTokenAddress, zeroAddress } from "../../lib/hex.ts";

/** A day's floor price is the cheapest sale in this many days, including it. */
export const floorDays = 30;

/** A value in whole native tokens and in the response's currency; null if unknown. */
export interface PaymentValue {
  readonly native: Decimal | null;
  readonly quote: Decimal | null;
}

/** The value of one smallest unit of a payment token at some time. */
export type PaymentRate = (token: Address) => PaymentValue;

/** An amount in a payment token. */
export interface Payment {
  readonly payment_token: Address;
  readonly amount: string;
}

/**
 * Creates payment token rates from their prices in a currency; the native rate is the quotient of two prices. A wrapped native token has the price of
 * the native token, even if it has its own price.
 */
export const createPaymentRate =
  (rate: (asset: Address) => Rate, wrappedNative: readonly Address[], nativeDecimals: number): PaymentRate =>
  (token) => {
    if (token === zeroAddress) return { native: null, quote: null };
    const nativeRate = rate(nativeTokenAddress);
    if (token === nativeTokenAddress || wrappedNative.includes(token)) return { native: decimal(1n, nativeDecimals), quote: nativeRate };
    const quote = rate(token);
    const isKnown = quote !== null && nativeRate !== null && nativeRate.digits > 0n;
    return { native: isKnown ? shift(divide(quote, nativeRate), -nativeDecimals) : null, quote };
  };

const valueOfPayment = ({ payment_token, amount }: Payment, rate: PaymentRate): PaymentValue => {
  const { native, quote } = rate(payment_token);
  const value = parseDecimal(amount);
  return { native: native === null ? null : multiply(value, native), quote: quote === null ? null : multiply(value, quote) };
};

/** The sum of known payment values; null if there are payments and none has a known value. */
export const volumeOf = (payments: readonly Payment[], rate: PaymentRate): PaymentValue => {
  const values = payments.map((paid) => valueOfPayment(paid, rate));
  const sum = (unit: keyof PaymentValue): Decimal | null => {
    const known = values.flatMap((value) => value[unit] ?? []);
    return known.length === 0 && values.length > 0 ? null : known.reduce(add, decimal(0n));
  };
  return { native: sum("native"), quote: sum("quote") };
};

/** The lowest price in native tokens and the lowest in the currency, each among the prices with a known value. */
export const floorOf = (prices: readonly Payment[], rate: PaymentRate): PaymentValue => {
  const values = prices.map((paid) => valueOfPayment(paid, rate));
  const lowest = (unit: keyof PaymentValue): Decimal | null =>
    values
      .flatMap((value) => value[unit] ?? [])
      .reduce<Decimal | null>((best, value) => (best === null || compare(value, best) < 0 ? value : best), null);
  return { native: lowest("native"), quote: lowest("quote") };
};
