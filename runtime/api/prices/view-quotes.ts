import type { Currency } from "../../../generated/requests.gen.ts";
import type { Rate } from "../../domains/prices/queries/rates.ts";
import { type Decimal, multiply, parseDecimal, rounded, shift, toNumber, wholeHundredths } from "../../lib/decimal.ts";

const symbols: Readonly<Record<Currency, string>> = {
  USD: "$",
  CAD: "CA$",
  EUR: "€",
  SGD: "S$",
  INR: "₹",
  JPY: "¥",
  VND: "₫",
  CNY: "CN¥",
  KRW: "₩",
  RUB: "₽",
  TRY: "₺",
  NGN: "₦",
  ARS: "ARS",
  AUD: "A$",
  CHF: "CHF",
  GBP: "£",
};

/** The exact value of an amount in smallest units; null if the amount or the rate is unknown. */
export const valueAtRate = (amount: string | null, rate: Rate): Decimal | null =>
  amount === null || rate === null ? null : multiply(parseDecimal(amount), rate);

/** The rate of one whole token; null if its decimals or its rate are unknown. */
export const ratePerWholeToken = (rate: Rate, decimals: number | null): Decimal | null =>
  rate === null || decimals === null ? null : shift(rate, decimals);

/** The nearest number; null if the value is unknown or too large for a number, for example because a token has 255 decimals. */
export function viewNumber(value: Decimal | null): number | null {
  const number = value === null ? null : toNumber(value);
  return number === null || !Number.isFinite(number) ? null : number;
}

function thousands(whole: bigint): string {
  const digits = whole.toString();
  return digits.length <= 3 ? digits : digits.replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Significant digits of a pretty value. Rates are truncated after 40 digits: without rounding, a value in whole cents would be shown one cent too low. */
const shownDigits = 30;

/** A value for display: truncated to two decimals, in millions (M) above 999,999 and in billions (B) above 999,999,999. */
export function formatQuote(exact: Decimal | null, currency: Currency): string | null {
  if (exact === null) return null;
  const value = rounded(exact, shownDigits);
  const sign = value.digits < 0n ? "-" : "";
  const absolute = sign === "" ? value : { ...value, digits: -value.digits };
  const exactHundredths = wholeHundredths(absolute);
  const [power, suffix] = exactHundredths > 99_999_999_999n ? [-9, "B"] : exactHundredths > 99_999_999n ? [-6, "M"] : [0, ""];
  const hundredths = power === 0 ? exactHundredths : wholeHundredths(shift(absolute, power));
  return `${sign}${symbols[currency]}${thousands(hundredths / 100n)}.${(hundredths % 100n).toString().padStart(2, "0")}${suffix}`;
}

/** The quote of an amount. */
export interface Quote {
  /** The rate of one whole token. */
  readonly rate: number | null;
  readonly quote: number | null;
  readonly pretty: string | null;
}

/** The quote of all amounts without a price. It is shared, because most amounts in a long list have no price. */
const unquoted: Quote = { rate: null, quote: null, pretty: null };

/** The quote of an amount in smallest units; fields that depend on unknown values are null. */
export function quoteOf(amount: string | null, rate: Rate, decimals: number | null, currency: Currency): Quote {
  if (rate === null) return unquoted;
  const value = valueAtRate(amount, rate);
  return { rate: viewNumber(ratePerWholeToken(rate, decimals)), quote: viewNumber(value), pretty: formatQuote(value, currency) };
}
