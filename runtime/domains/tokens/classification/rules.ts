import { z } from "zod";
import type { Address } from "../../../lib/hex.ts";

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, "0x and 40 hex digits are accepted as an address")
  .transform((text) => text.toLowerCase() as Address);
const chainId = z.string().regex(/^[1-9]\d*$/, "a chain id in digits is accepted as a key");
const byChain = z.record(chainId, z.array(address));
const word = z.string().trim().min(1);

/** The rules by which tokens are typed and spam is marked, section by section; a section of the operator's file replaces the built-in one. */
export const rulesSchema = z.strictObject({
  stablecoins: z
    .array(
      z.strictObject({
        symbol: word.describe("As its contract says it; upper and lower case are the same."),
        decimals: z
          .array(z.number().int().min(0).max(255))
          .min(1)
          .describe("By which it is known on chains for which no address is given."),
        addresses: byChain
          .default({})
          .describe("Its contracts by chain id. On a chain that is named here, the same symbol elsewhere is a fake."),
      }),
    )
    .describe("Coins that follow a currency."),
  dust: z.strictObject({ belowUsd: z.number().min(0) }).describe("Below which worth in USD a balance is dust."),
  lures: z
    .strictObject({
      words: z.array(word).describe("Whole words of a name or symbol that only spam uses."),
      topLevelDomains: z.array(word).describe("Endings by which a name holds a web address."),
      harmless: z.array(word).describe("Names with such an ending that are no lures."),
    })
    .describe("What a spam token's name tells its reader to do."),
  airdrops: z
    .strictObject({
      words: z
        .array(word)
        .describe(
          "Whole words of a name or symbol that honest tokens have too: they make spam only of a token that was handed out. None: no token.",
        ),
      transfers: z.number().int().min(10).max(1000).describe("How many of a token's first logs are looked at; fewer are no airdrop."),
      perTransaction: z
        .number()
        .int()
        .min(2)
        .describe("How many of them a transaction has at least, on average, where a token was handed out."),
    })
    .describe("Tokens handed out to many who did not ask for them."),
  poisoning: z
    .strictObject({
      matchingDigits: z.number().int().min(1).max(20).describe("Hex digits at either end in which an address resembles another."),
      sentByOthers: z
        .boolean()
        .describe(
          "Whether a transfer of nothing to a stranger, in the name of a wallet that sends for itself, by somebody else, is poisoning.",
        ),
      transactions: z
        .number()
        .int()
        .min(1)
        .max(5000)
        .default(300)
        .describe("In how many of the wallet's transactions before a transfer those are looked for whom it dealt with."),
    })
    .describe("Transfers of nothing that put an address into a wallet's list for it to be copied from there."),
  trusted: byChain.describe("Tokens that are never spam, by chain id."),
  spam: byChain.describe("Tokens that are always spam, by chain id."),
});

/** The rules in force. */
export type Rules = z.infer<typeof rulesSchema>;
/** One stablecoin of the rules. */
export type Stablecoin = Rules["stablecoins"][number];
