import { z } from "zod";
import { type BitcoinChainConfig, bitcoinChainSchema } from "./bitcoin.ts";
import { chainDisplayFields, chainNameFields } from "./chain-fields.ts";
import { community } from "./community.ts";
import { consoleSettingsSchema } from "./console.ts";
import { chainDatabaseSetting, databases, primaryUrl, readUrls } from "./databases.ts";
import { exchanges } from "./exchanges.ts";
import { address, httpUrl, nodeUrls } from "./fields.ts";
import { metrics } from "./metrics.ts";
import { nfts } from "./nfts.ts";
import { prices } from "./prices.ts";
import { requestLimits } from "./request-limits.ts";
import { tracing } from "./tracing.ts";

const port = "a port from 0 to 65535";
const workers = "a number from 1 to 256, or auto";
/** A value for Express's `trust proxy`: an address, a network, or the name of a private address range. */
const proxy = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6(), z.enum(["loopback", "linklocal", "uniquelocal"])], {
  error: "an IP address, a network such as 10.0.0.0/8, loopback, linklocal or uniquelocal",
});

/** An EVM network's settings. */
export const chainConfigSchema = z.strictObject({
  ...chainNameFields,
  ...chainDatabaseSetting,
  kind: z.literal("evm").optional().describe("The kind of chain: evm by default."),
  id: z.number().int().positive(),
  ...chainDisplayFields,
  rpc: nodeUrls.describe(
    "The node's URL, or a list of node URLs: the indexer uses the first one, and replaces it with the best of the others if it fails, falls behind or contradicts the others. URLs may contain secrets and are never printed.",
  ),
  ws: z
    .url({ protocol: /^wss?$/, error: "a ws:// or wss:// URL, such as ws://localhost:8546" })
    .optional()
    .describe("The (first) node's WebSocket URL, if it differs from rpc. It may contain a secret and is never printed."),
  from: z.number().int().min(0).default(0).describe("The first block to index."),
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
    .array(z.strictObject({ label: z.string(), url: httpUrl.describe("The base URL; /tx/<hash> or /address/<address> is appended.") }))
    .default([]),
  nativeAccounting: z
    .enum(["traces", "state", "none"])
    .default("state")
    .describe(
      "The source of native balances: value transfers in traces (traces), balances of touched accounts that the node returns (state), or none. " +
        "Traces are exact only on chains where nothing but transactions, internal calls, fees and withdrawals transfers value. Only an operator or a preset " +
        "can know this, so the default is state. The accounting of an existing index does not change.",
    ),
  systemAccounts: z
    .array(address)
    .default([])
    .describe(
      "Accounts that the network credits or debits although blocks do not mention them, such as fee vaults; state accounting reads them with every block.",
    ),
  finality: z
    .number()
    .int()
    .positive()
    .optional()
    .describe(
      "Confirmations after which a block is final, for nodes without the finalized tag. Without the setting and the tag, no block is final.",
    ),
  nameRegistry: address.optional().describe("The name registry (EIP-137) of this chain."),
  nameRegistryFallback: address.optional().describe("The registry to use for names that nameRegistry has no record of."),
  labelsFile: z.string().optional().describe("A CSV or JSON file that maps addresses to the labels shown in responses."),
  exchanges: exchanges.default([]).describe("The exchanges whose pools are served."),
  prices: prices.prefault({}).describe("Token price sources."),
  nfts: nfts.prefault({}).describe("Non-fungible tokens: their metadata and their sales."),
  community,
  activePoolDays: z.number().int().positive().max(365).default(7).describe("Days without a swap after which lists of pools omit a pool."),
  groups: z
    .array(z.enum(["historical"]))
    .default([])
    .describe(
      "Catalog network groups that this chain belongs to. The group historical has balances at past blocks and days (historical_balances) and a wallet's pools; chains without a preset belong to it by default.",
    ),
  tokenLogos: z.record(address, httpUrl).default({}).describe("Token logos by address; they take precedence over tokenListFile."),
  tokenListFile: z
    .string()
    .optional()
    .describe("A token list (tokenlists.org), whose logoURI is used for tokens of this chain if it is an http:// or https:// URL."),
  abiFiles: z.array(z.string()).default([]).describe("JSON files with event ABIs to decode logs with."),
  pollMilliseconds: z.number().int().min(50).default(1000),
});

/**
 * A network's settings in a configuration. The id may be omitted, because the node and the index have it. The node may be omitted for a server
 * without an indexer.
 */
const configuredChainSchema = chainConfigSchema.partial({ id: true, rpc: true });

/** The ashlar.yaml schema. */
export const configSchema = z.strictObject({
  host: z.string().default("127.0.0.1"),
  port: z.number(port).int(port).min(0, port).max(65535, port).default(8080),
  publicUrl: httpUrl.optional(),
  trustedProxies: z.array(proxy).default([]),
  databaseUrl: primaryUrl
    .optional()
    .describe(
      "The PostgreSQL URL. With several hosts (postgresql://user:password@one:5432,two:5432/name), the primary is used (docs/operations/high-availability.md). It may contain a secret and is never printed.",
    ),
  readUrls: readUrls.describe(
    "The URLs of databaseUrl's streaming replicas, which run requests' statements (docs/operations/replicas.md). They may contain secrets and are never printed.",
  ),
  databases,
  primaryOutageSeconds: z
    .number()
    .int()
    .min(0)
    .max(86_400)
    .default(60)
    .describe(
      "How long servers with readUrls respond from replicas while the primary does not respond, with the keys and heads that they read last; 0 disables this.",
    ),
  migrate: z
    .enum(["auto", "explicit"])
    .optional()
    .describe(
      "auto: every command that opens the database runs its pending migrations. explicit: only ashlar migrate does, and others refuse an older schema. Default: auto for the embedded database, explicit for databaseUrl. Any command creates the schema in an empty database.",
    ),
  communityDatabaseUrl: primaryUrl
    .optional()
    .describe(
      "The same database's URL for the role that runs community endpoints' SQL; only needed if Ashlar cannot create that role. It may contain a secret and is never printed.",
    ),
  dataDirectory: z.string().default(".ashlar").describe("The folder for the data of the embedded database and the demo."),
  minFreeDiskMegabytes: z
    .number()
    .int()
    .min(0)
    .default(1024)
    .describe(
      "Free space on the embedded database's file system below which indexing pauses; it continues at twice this value. 0 disables the check.",
    ),
  logLevel: z.enum(["debug", "info", "warn", "error", "silent"]).default("info"),
  logFormat: z.enum(["json", "pretty"]).optional().describe("Default: pretty on a terminal, otherwise json."),
  workers: z
    .union([z.number(workers).int(workers).min(1, workers).max(256, workers), z.literal("auto")], { error: workers })
    .optional()
    .describe(
      "The processes that serve requests, or auto for one per available core. Default of ashlar serve: 1. Default of ashlar start: 1, or half of the cores, " +
        "at most 8, if there are at least 4.",
    ),
  chains: z.array(z.discriminatedUnion("kind", [configuredChainSchema, bitcoinChainSchema])).default([]),
  rulesFile: z.string().optional().describe("A YAML file with rules for token types and spam; each section replaces the built-in one."),
  protocols: z
    .record(z.string(), z.string())
    .default({})
    .describe("The operator's names for the protocols that the catalog calls protocol_NN."),
  communityDirectory: z
    .string()
    .optional()
    .describe("A directory with a folder per protocol: its protocol.yaml and SQL files declare the operator's own community endpoints."),
  metrics: metrics.optional().describe("Serves metrics for Prometheus at /metrics on a separate address; off by default."),
  console: consoleSettingsSchema
    .optional()
    .describe("Serves the web console for operators on a separate address; off by default, on in the demo."),
  tracing: tracing.optional().describe("Exports traces of requests and batches to an OpenTelemetry collector; off by default."),
  validate: z
    .enum(["off", "sample", "strict"])
    .default("sample")
    .describe(
      "Validation against the OpenAPI document: strict validates every request and response and rejects invalid ones, sample validates one response in a thousand " +
        "and logs invalid ones, off validates none.",
    ),
  indexerSilentSeconds: z
    .number()
    .int()
    .min(0)
    .default(300)
    .describe(
      "Seconds without progress by a chain's indexer after which /readyz returns 503; 0 for no limit, for an index that is served without an indexer. An " +
        "indexer at the head of a chain without new blocks makes progress whenever its node responds.",
    ),
  compression: z
    .boolean()
    .default(true)
    .describe(
      "Whether responses are compressed for clients that accept compression; false if a proxy in front of the server compresses them.",
    ),
  cache: z
    .strictObject({
      megabytes: z
        .number()
        .int()
        .min(0)
        .default(64)
        .describe("Each server process's memory for responses that are cached until the index changes; 0 disables the cache."),
      public: z
        .boolean()
        .default(false)
        .describe(
          "Whether shared caches may store responses: for deployments whose proxy adds the key, so that all clients may read all responses.",
        ),
    })
    .prefault({}),
  limits: requestLimits,
});

export type ConfiguredChain = z.infer<typeof configuredChainSchema>;
/** An EVM network whose id is known. */
export type ChainConfig = ConfiguredChain & { readonly id: number };
/** An EVM or Bitcoin network whose id is known. */
export type AnyChainConfig = ChainConfig | BitcoinChainConfig;

/** Whether a chain is an EVM network. */
export const isEvmChain = <Evm extends { readonly kind?: "evm" | undefined }>(chain: Evm | { readonly kind: "bitcoin" }): chain is Evm =>
  chain.kind !== "bitcoin";
/** Whether a chain is a Bitcoin network. */
export const isBitcoinChain = <Bitcoin extends { readonly kind: "bitcoin" }>(
  chain: Bitcoin | { readonly kind?: "evm" | undefined },
): chain is Bitcoin => chain.kind === "bitcoin";
export type Config = z.infer<typeof configSchema>;
