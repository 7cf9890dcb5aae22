import { z } from "zod";
import type { Address } from "../../../lib/hex.ts";

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, "expected an address: 0x followed by 40 hex digits")
  .transform((text) => text.toLowerCase() as Address);
const chainId = z.string().regex(/^[1-9]\d*$/, "expected a chain id in decimal digits as the key");
const byChain = z.record(chainId, z.array(address));
const nonEmptyText = z.string().trim().min(1);

/** The rules for token types, spam and poisoning, in sections; a section of the operator's file replaces the built-in one. */
export const rulesSchema = z.strictObject({
  stablecoins: z
    .array(
      z.strictObject({
        symbol: nonEmptyText.describe("The symbol that its contract returns (case-insensitive)."),
        decimals: z
          .array(z.number().int().min(0).max(255))
          .min(1)
          .describe("Decimals that identify it on chains without an address below."),
        addresses: byChain
          .default({})
          .describe("Its contracts by chain id. On these chains, the same symbol at another address is a fake."),
      }),
    )
    .describe("Coins pegged to a currency."),
  dust: z.strictObject({ belowUsd: z.number().min(0) }).describe("A balance worth less than this, in USD, is dust."),
  lures: z
    .strictObject({
      words: z.array(nonEmptyText).describe("Whole words that only spam tokens use in names and symbols."),
      topLevelDomains: z.array(nonEmptyText).describe("Top-level domains that identify part of a name as a web address."),
      harmless: z.array(nonEmptyText).describe("Names that end in one of topLevelDomains but are not lures, such as curve.fi."),
    })
    .describe("Words and web addresses with which the name of a spam token urges the reader to act."),
  airdrops: z
    .strictObject({
      words: z
        .array(nonEmptyText)
        .describe(
          "Whole words that names of legitimate tokens contain too: a token with one is spam only if it was airdropped. An empty list disables this rule.",
        ),
      transfers: z
        .number()
        .int()
        .min(10)
        .max(1000)
        .describe("Number of a token's first logs that are examined; a token with fewer logs is not classified as airdropped."),
      perTransaction: z
        .number()
        .int()
        .min(2)
        .describe("A token is classified as airdropped if its first logs average at least this number per transaction."),
    })
    .describe("Tokens sent to many accounts that did not request them."),
  poisoning: z
    .strictObject({
      matchingDigits: z
        .number()
        .int()
        .min(1)
        .max(20)
        .describe("Number of hex digits at each end that two addresses must share to look alike."),
      sentByOthers: z
        .boolean()
        .describe(
          "Whether a zero-value transfer from a wallet to an unknown account is classified as address poisoning if another account sent the transaction; does not apply to wallets that send no transactions.",
        ),
      transactions: z
        .number()
        .int()
        .min(1)
        .max(5000)
        .default(300)
        .describe("Number of the wallet's transactions before a transfer that are searched for counterparties."),
    })
    .describe("Zero-value transfers that place a look-alike address in a wallet's transfer history, to be copied by mistake."),
  trusted: byChain.describe("Tokens that are never spam, by chain id."),
  spam: byChain.describe("Tokens that are always spam, by chain id."),
});

/** The rules in effect. */
export type Rules = z.infer<typeof rulesSchema>;
/** One stablecoin of the rules. */
export type Stablecoin = Rules["stablecoins"][number];
