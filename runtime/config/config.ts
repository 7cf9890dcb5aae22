import { z } from "zod";
import { address, httpUrl, nodeUrl } from "./fields.ts";
import { nfts } from "./nfts.ts";

const reservedNames = ["chains", "address", "pricing", "xy=k", "cq"];
const port = "a port from 0 to 65535 is accepted";

const reservedExchanges = ["address", "tokens", "supported_dexes"];

/** An exchange: whose pools are its own, and what clients are told about it. */
const exchange = z
  .strictObject({
    name: z
      .string()
      .max(64)
      .regex(/^[a-z0-9][a-z0-9_-]*$/, "lower-case letters, digits, dashes and underscores are accepted, a letter or digit first")
      .refine((name) => !reservedExchanges.includes(name), `a name other than ${reservedExchanges.join(", ")} is accepted`),
    label: z.string().optional().describe("Its name for people."),
    family: z.enum(["xy=k", "concentrated"]).default("xy=k").describe("Constant product, or liquidity for ranges of prices."),
    factory: address.describe("The contract that announces its pools."),
    routers: z.array(address).default([]),
    feePpm: z
      .number()
      .int()
      .min(0)
      .max(999_999)
      .optional()
      .describe(
        "What a swap costs in millionths of what is paid in: 3000 is 0.3 percent. Pools of concentrated liquidity state their own.",
      ),
    logoUrl: httpUrl.optional(),
    version: z.number().positive().optional().describe("Of its protocol, as 2 or 3."),
    fork: z.string().min(1).max(64).optional().describe("The protocol that it was copied from."),
    forkVersion: z.number().positive().optional().describe("Of the protocol that it was copied from."),
  })
  .refine(({ family, feePpm }) => family === "xy=k" || feePpm === undefined, {
    path: ["feePpm"],
    error: "no fee is accepted for concentrated liquidity, whose pools state their own",
  });

const exchanges = z.array(exchange).superRefine((all, context) => {
  for (const [position, { name, factory }] of all.entries()) {
    const earlier = all.slice(0, position);
    const twin = earlier.some((other) => other.name === name) ? name : earlier.some((other) => other.factory === factory) ? factory : null;
    if (twin !== null)
      context.addIssue({ code: "custom", path: [position], message: `Duplicate ${twin}; configure each name and factory once` });
  }
});

const currency = z.enum(["USD", "CAD", "EUR", "SGD", "INR", "JPY", "VND", "CNY", "KRW", "RUB", "TRY", "NGN", "ARS", "AUD", "CHF", "GBP"]);
const pricedToken = z.union([address, z.literal("native")], { error: "0x and 40 hex digits, or native, are accepted" });

/** Where prices come from, and what they are trusted for. */
const prices = z.strictObject({
  sources: z
    .array(z.enum(["feeds", "stablecoins", "pools", "file"]))
    .refine((all) => new Set(all).size === all.length, "each source is accepted once")
    .default(["feeds", "stablecoins", "pools", "file"])
    .describe("The first of them that knows a price gives it; one that is left out is not asked."),
  feeds: z
    .array(
      z
        .strictObject({
          of: z.union([pricedToken, currency]).describe("What it prices: a token's address, native, or a currency's code."),
          in: currency.default("USD").describe("The currency of its answers."),
          aggregators: z
            .array(address)
            .min(1)
            .describe("The contracts that emit its AnswerUpdated: behind a proxy, the aggregators and not the proxy, old ones too."),
          decimals: z.number().int().min(0).max(36).default(8).describe("Of its answers."),
          maxAgeSeconds: z
            .number()
            .int()
            .positive()
            .default(259_200)
            .describe("After so long without an answer it knows no price: a feed that is given up goes on standing."),
        })
        .refine((feed) => feed.in === "USD" || feed.of === "native" || feed.of.startsWith("0x"), {
          path: ["in"],
          error: "USD is accepted for a feed of a currency",
        }),
    )
    .default([]),
  stablecoins: z
    .array(z.strictObject({ token: address, currency: currency.default("USD") }))
    .refine((all) => new Set(all.map(({ token }) => token)).size === all.length, "each token once is accepted")
    .default([])
    .describe("Tokens that are taken for one unit of a currency."),
  liquidityFloor: z
    .number()
    .positive()
    .default(10_000)
    .describe("US dollars that a pool must hold of the token that a price is derived from; a smaller pool counts for nothing."),
});

/** What Express accepts as `trust proxy`: addresses, networks, and its names of private ones. */
const proxy = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6(), z.enum(["loopback", "linklocal", "uniquelocal"])], {
  error: "an IP address, a network such as 10.0.0.0/8, loopback, linklocal or uniquelocal is accepted",
});

/** One EVM network: what the node cannot tell about it. */
export const chainConfig = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]*$/, "lower-case letters, digits and dashes are accepted, a letter first")
    .refine((name) => !reservedNames.includes(name), `a name other than ${reservedNames.join(", ")} is accepted`),
  id: z.number().int().positive(),
  label: z.string().optional(),
  isTestnet: z.boolean().default(false),
  rpc: nodeUrl.describe("The node. May hold a secret: never printed."),
  ws: z
    .url({ protocol: /^wss?$/ })
    .optional()
    .describe("Its websocket, where that is at another address. May hold a secret too."),
  from: z.number().int().min(0).default(0).describe("First block to index."),
  nativeToken: z
    .strictObject({
      name: z.string(),
      symbol: z.string(),
      decimals: z.number().int().min(0).max(36).default(18),
      logoUrl: httpUrl.optional(),
    })
    .default({ name: "Ether", symbol: "ETH", decimals: 18 }),
  wrappedNative: z.array(address).default([]),
  multicall: address.default("0xca11bde05977b3631167028862be2a173976ca11"),
  explorers: z
    .array(z.strictObject({ label: z.string(), url: httpUrl.describe("Its address; /tx/<hash> or /address/<address> is appended.") }))
    .default([]),
  nativeAccounting: z
    .enum(["traces", "state", "none"])
    .default("state")
    .describe(
      "Where native balances come from: from what blocks moved (traces), from the node's word on the accounts that they touched (state), or they are not kept. " +
        "Traces are right only where nothing but transactions, inner calls, fees and withdrawals moves value, and nobody but the operator or a preset can know " +
        "that: so the state is the default. An index keeps the accounting that it was begun with.",
    ),
  systemAccounts: z
    .array(address)
    .default([])
    .describe(
      "Accounts that the network pays or charges without naming them in a block, such as fee vaults; read with every block in state accounting.",
    ),
  finality: z
    .number()
    .int()
    .positive()
    .optional()
    .describe("Blocks upon one after which it is final, where the node has no finalized tag; without either, no block is."),
  nameRegistry: address.optional().describe("The registry of names (EIP-137) of this chain."),
  nameRegistryFallback: address.optional().describe("The registry that is asked for names which the first one has no record of."),
  labelsFile: z.string().optional().describe("CSV or JSON of addresses and the labels that answers show for them."),
  exchanges: exchanges.default([]).describe("The exchanges that answers are about."),
  prices: prices.prefault({}).describe("Where the prices of its tokens come from."),
  nfts: nfts.prefault({}).describe("Non-fungible tokens: their metadata and their sales."),
  activePoolDays: z
    .number()
    .int()
    .positive()
    .max(365)
    .default(7)
    .describe("Days without a swap after which a pool is left out of lists of pools."),
  groups: z
    .array(z.enum(["historical"]))
    .default([])
    .describe(
      "Network groups of the catalog that this chain joins. historical has balances of past blocks and days (historical_balances) and a wallet's pools; a chain without a preset joins it unless it says otherwise.",
    ),
  category: z.string().min(1).max(64).optional().describe("The group of networks that clients show it in."),
  logoUrl: httpUrl.optional(),
  blackLogoUrl: httpUrl.optional().describe("Its logo for light backgrounds."),
  whiteLogoUrl: httpUrl.optional().describe("Its logo for dark backgrounds."),
  tokenLogos: z
    .record(address, httpUrl)
    .default({})
    .describe("Logos of tokens by address; one that is named here counts before the file's."),
  tokenListFile: z
    .string()
    .optional()
    .describe("JSON in the form of tokenlists.org: the logoURI of each of this chain's tokens, where it is an http:// or https:// URL."),
  colorTheme: z.strictObject({ red: z.number().int(), green: z.number().int(), blue: z.number().int() }).optional(),
  abiFiles: z.array(z.string()).default([]).describe("JSON files of event ABIs for decoding logs."),
  pollMilliseconds: z.number().int().min(50).default(1000),
});

/** A network as it may be configured: its id can come from the node or the index, and a server alone needs no node. */
const configuredChain = chainConfig.partial({ id: true, rpc: true });

/** The whole of ashlar.yaml, after defaults. */
export const config = z.strictObject({
  host: z.string().default("127.0.0.1"),
  port: z.number(port).int(port).min(0, port).max(65535, port).default(8080),
  publicUrl: httpUrl.optional(),
  trustedProxies: z.array(proxy).default([]),
  databaseUrl: z.string().optional().describe("Holds a secret: never printed."),
  dataDirectory: z.string().default(".ashlar").describe("Where the embedded database and the demo keep their data."),
  logLevel: z.enum(["debug", "info", "warn", "error", "silent"]).default("info"),
  logFormat: z
    .enum(["json", "pretty"])
    .optional()
    .describe("JSON, or lines for people; by default lines on a terminal and JSON elsewhere."),
  chains: z.array(configuredChain).default([]),
  rulesFile: z
    .string()
    .optional()
    .describe("YAML of rules for what tokens are and which are spam; a section that it has replaces the built-in one."),
  protocols: z.record(z.string(), z.string()).default({}).describe("Class C: the real name of protocol_NN."),
  validate: z
    .enum(["off", "sample", "strict"])
    .default("sample")
    .describe(
      "Validation against the OpenAPI document: of every request and answer, refusing those that violate it (strict); of one answer in a thousand, " +
        "logging those that do (sample); or of none (off).",
    ),
  limits: z
    .strictObject({
      requestsPerSecond: z
        .union([z.number().positive(), z.literal("unlimited")], { error: "Expected a number above 0, or unlimited" })
        .default(500)
        .describe("For each key."),
      burstRequests: z
        .number()
        .int()
        .min(0)
        .optional()
        .describe("Requests beyond that rate that a key may send within 10 seconds; twice the rate unless configured."),
      urlBytes: z.number().int().positive().default(4096),
      blockRange: z.number().int().positive().default(1000).describe("Of row 32."),
      listItems: z.number().int().positive().default(100).describe("Of comma-separated lists."),
      answerRows: z.number().int().positive().default(100_000).describe("Of answers that have no pages."),
      answerBytes: z
        .number()
        .int()
        .positive()
        .default(64 * 1024 * 1024),
      statementMilliseconds: z.number().int().positive().default(10_000),
    })
    .prefault({}),
});

export type ConfiguredChain = z.infer<typeof configuredChain>;
/** A network whose id is known. */
export type ChainConfig = ConfiguredChain & { readonly id: number };
/** An exchange of a network. */
export type ExchangeConfig = z.infer<typeof exchange>;
/** Where a network's prices come from. */
export type PricesConfig = z.infer<typeof prices>;
export type Config = z.infer<typeof config>;
