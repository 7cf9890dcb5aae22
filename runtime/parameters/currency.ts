import type { Currency } from "../../generated/requests.gen.ts";
import { parserOf } from "./parsed.ts";

/** Complete by its type: a currency that the catalog adds or drops does not compile here. */
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
/** The codes of all currencies that quotes can be asked in (ISO 4217). */
export const currencies = Object.keys(codes) as Currency[];

const byCode = new Map(currencies.map((code) => [code as string, code]));

/** A currency by its code (ISO 4217), in any case. */
export const parseCurrency = parserOf(`one of ${currencies.join(", ")}`, (text) => byCode.get(text.toUpperCase()));
