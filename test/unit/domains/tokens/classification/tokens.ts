import { builtInRules } from "../../../../../runtime/domains/tokens/classification/built-in-rules.ts";
import { type ClassifiedToken, createClassifier } from "../../../../../runtime/domains/tokens/classification/classifier.ts";
import type { Address } from "../../../../../runtime/lib/hex.ts";

/** A classifier with the built-in rules. */
export const classifier = createClassifier(builtInRules);
/** An address with the given first and last digits. */
export const account = (start: string, end: string, middle = "0"): Address =>
  `0x${start}${middle.repeat(40 - start.length - end.length)}${end}`;
/** The contract of USD Coin on Ethereum, as published by its issuer. */
export const usdc: Address = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
/** A token without signs of spam. */
export const token = (overrides: Partial<ClassifiedToken> = {}): ClassifiedToken => ({
  chainId: 1,
  address: account("1234", "5678"),
  standard: 1,
  name: "Some Token",
  symbol: "SOME",
  decimals: 18,
  ...overrides,
});
