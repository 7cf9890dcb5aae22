import type { Currency } from "../../generated/requests.gen.ts";
import { parserOf } from "./parsed.ts";

/** The type makes the list exhaustive: the code does not compile if it differs from the catalog's currencies. */
const codes: Readonly<Record<Currency, true>> = {
  USD: true,
  CAD: true,
  EUR: true,
  SGD: true,
  INR: true,
  JPY: true,
  VND: true,
  CNY: true,
  KRW: true,
  RUB: true,
  TRY: true,
  NGN: true,
  ARS: true,
  AUD: true,
  CHF: true,
  GBP: true,
};
/** The codes of all supported quote currencies (ISO 4217). */
export const currencies = Object.keys(codes) as Currency[];

const byCode = new Map(currencies.map((code) => [code as string, code]));

/** Parses a currency code (ISO 4217), case-insensitively. */
export const parseCurrency = parserOf(`one of ${currencies.join(", ")}`, (text) => byCode.get(text.toUpperCase()));
