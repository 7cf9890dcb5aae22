import { z } from "zod";
import { address, httpUrl } from "./fields.ts";

/** A marketplace: whose sales count, and what clients are told about it. */
const marketplace = z.strictObject({
  name: z.string().min(1).max(64).describe("Its name for people."),
  protocol: z.enum(["seaport", "cryptopunks"]).describe("Whose events it emits."),
  address: address.describe("The contract that emits them."),
  logoUrl: httpUrl.optional(),
});

const gateways = z.array(httpUrl).max(8);

/** What is done about non-fungible tokens. */
export const nfts = z.strictObject({
  metadata: z
    .enum(["cached", "uncached"])
    .default("cached")
    .describe(
      "Whether the metadata of every token is read and kept, by jobs beside the index; uncached, it is read when a request asks for it with with-uncached=true, and not kept.",
    ),
  ipfsGateways: gateways
    .default(["https://ipfs.io"])
    .describe(
      "Where ipfs:// addresses are fetched, the first that answers; /ipfs/<path> is appended. A gateway may be at a private address, as the operator names it.",
    ),
  arweaveGateways: gateways
    .default(["https://arweave.net"])
    .describe("Where ar:// addresses are fetched, the first that answers; /<path> is appended."),
  documentBytes: z
    .number()
    .int()
    .positive()
    .max(16 * 1024 * 1024)
    .default(1024 * 1024)
    .describe("A larger metadata document is refused."),
  fetchMilliseconds: z
    .number()
    .int()
    .min(100)
    .max(120_000)
    .default(15_000)
    .describe("A document that takes longer is refused, redirects and all."),
  uncachedMilliseconds: z
    .number()
    .int()
    .min(100)
    .max(10_000)
    .default(3_000)
    .describe("How long a request with with-uncached=true may wait."),
  fetchesAtOnce: z.number().int().min(1).max(256).default(16),
  marketplaces: z
    .array(marketplace)
    .refine((all) => new Set(all.map(({ address }) => address)).size === all.length, "each address once is accepted")
    .default([])
    .describe("Whose sales of tokens count."),
});

/** What is done about a network's non-fungible tokens. */
export type NftsConfig = z.infer<typeof nfts>;
/** A marketplace of a network. */
export type MarketplaceConfig = z.infer<typeof marketplace>;
