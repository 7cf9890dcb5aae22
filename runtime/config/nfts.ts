import { z } from "zod";
import { address, httpUrl } from "./fields.ts";

/** A marketplace whose sales are indexed, and its description in responses. */
const marketplace = z.strictObject({
  name: z.string().min(1).max(64).describe("The display name."),
  protocol: z.enum(["seaport", "cryptopunks"]).describe("The protocol whose events the contract emits."),
  address: address.describe("The contract that emits the events."),
  logoUrl: httpUrl.optional(),
});

const gateways = z.array(httpUrl).max(8, "a list of at most 8 URLs");

/** Settings for non-fungible tokens. */
export const nfts = z.strictObject({
  metadata: z
    .enum(["cached", "uncached"])
    .default("cached")
    .describe(
      "cached: jobs fetch and store the metadata of every token. uncached: it is fetched for requests with with-uncached=true, and not stored.",
    ),
  ipfsGateways: gateways
    .default(["https://ipfs.io"])
    .describe(
      "Gateways for ipfs:// URLs, tried in this order; /ipfs/<path> is appended. A gateway may have a private address, because the operator configures it.",
    ),
  arweaveGateways: gateways.default(["https://arweave.net"]).describe("Gateways for ar:// URLs, tried in this order; /<path> is appended."),
  documentBytes: z
    .number()
    .int()
    .positive()
    .max(16 * 1024 * 1024)
    .default(1024 * 1024)
    .describe("Max size of a metadata document."),
  fetchMilliseconds: z
    .number()
    .int()
    .min(100)
    .max(120_000)
    .default(15_000)
    .describe("The time limit for fetching a document, including redirects."),
  uncachedMilliseconds: z
    .number()
    .int()
    .min(100)
    .max(10_000)
    .default(3_000)
    .describe("The time limit for fetching metadata while a request with `with-uncached=true` waits."),
  fetchesAtOnce: z.number().int().min(1).max(256).default(16),
  marketplaces: z
    .array(marketplace)
    .refine((all) => new Set(all.map(({ address }) => address)).size === all.length, "each address at most once")
    .default([])
    .describe("The marketplaces whose sales are indexed."),
});

/** A network's settings for non-fungible tokens. */
export type NftsConfig = z.infer<typeof nfts>;
/** A network's marketplace. */
export type MarketplaceConfig = z.infer<typeof marketplace>;
