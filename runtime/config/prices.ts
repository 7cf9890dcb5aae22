import { z } from "zod";
import { address } from "./fields.ts";

const currency = z.enum(["USD", "CAD", "EUR", "SGD", "INR", "JPY", "VND", "CNY", "KRW", "RUB", "TRY", "NGN", "ARS", "AUD", "CHF", "GBP"]);
const pricedToken = z.union([address, z.literal("native")], { error: "an address (0x followed by 40 hex digits) or native" });

/** A chain's token price sources. */
export const prices = z.strictObject({
  sources: z
    .array(z.enum(["feeds", "stablecoins", "pools", "file"]))
    .refine((all) => new Set(all).size === all.length, "each source at most once")
    .default(["feeds", "stablecoins", "pools", "file"])
    .describe("Price sources in order of precedence: the first source that has a price is used. Sources that are not listed are not used."),
  feeds: z
    .array(
      z
        .strictObject({
          of: z
            .union([pricedToken, currency], { error: `a token's address (0x followed by 40 hex digits), native, or a currency code` })
            .describe("The priced asset: a token's address, native, or a currency code."),
          in: currency.default("USD").describe("The currency of the feed's answers."),
          aggregators: z
            .array(address)
            .min(1, "a list of at least one address")
            .describe(
              "The contracts that emit AnswerUpdated: the aggregators behind the proxy, including former ones, but not the proxy itself.",
            ),
          decimals: z.number().int().min(0).max(36).default(8).describe("The decimals of the feed's answers."),
          maxAgeSeconds: z
            .number()
            .int()
            .positive()
            .default(259_200)
            .describe(
              "The max age of an answer. A discontinued feed's contract keeps its last answer, which must not be used indefinitely.",
            ),
        })
        .refine((feed) => feed.in === "USD" || feed.of === "native" || feed.of.startsWith("0x"), {
          path: ["in"],
          error: "USD, because currency feeds are quoted in US dollars",
        }),
    )
    .default([]),
  stablecoins: z
    .array(z.strictObject({ token: address, currency: currency.default("USD") }))
    .refine((all) => new Set(all.map(({ token }) => token)).size === all.length, "each token at most once")
    .default([])
    .describe("Tokens that are priced at one unit of a currency."),
  liquidityFloor: z
    .number()
    .positive()
    .default(10_000)
    .describe("The min value, in US dollars, of a pool's reserve in the token that a price is derived from; smaller pools are ignored."),
});

/** A network's price sources. */
export type PricesConfig = z.infer<typeof prices>;
