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
const byCode = new Map(Object.keys(codes).map((code) => [code, code as Currency]));

/** A currency by its code (ISO 4217), in any case. */
export const parseCurrency = parserOf(`one of ${Object.keys(codes).join(", ")}`, (text) => byCode.get(text.toUpperCase()));
