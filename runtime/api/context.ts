import type { Handlers as GeneratedHandlers } from "../../generated/handlers.gen.ts";
import type { DecodedItem } from "../../generated/responses.gen.ts";
import type { BitcoinChainConfig } from "../config/bitcoin.ts";
import type { AnyChainConfig, ChainConfig } from "../config/config.ts";
import type { RequestLimits } from "../config/limits.ts";
import type { ApprovalQueries } from "../domains/approvals/queries/index.ts";
import type { BitcoinQueries } from "../domains/bitcoin/queries.ts";
import type { ChainQueries } from "../domains/chains/queries/index.ts";
import type { Community } from "../domains/community/queries/community.ts";
import type { RollUpQueries } from "../domains/dex/queries/roll-up.ts";
import type { LedgerQueries } from "../domains/ledger/queries/index.ts";
import type { LabelQueries } from "../domains/names/labels.ts";
import type { NameQueries } from "../domains/names/queries/index.ts";
import type { NftQueries } from "../domains/nft/queries/index.ts";
import type { NftMetadataQueries } from "../domains/nft-metadata/queries/index.ts";
import type { UncachedMetadata } from "../domains/nft-metadata/queries/uncached.ts";
import type { NftSaleQueries } from "../domains/nft-sales/queries.ts";
import type { PoolQueries } from "../domains/pools/queries/index.ts";
import type { PriceQueries } from "../domains/prices/queries/price.ts";
import type { SafeQueries } from "../domains/safes/queries.ts";
import type { Classifier } from "../domains/tokens/classification/classifier.ts";
import type { TokenRequests } from "../domains/tokens/jobs/record-token-requests.ts";
import type { TokenQueries } from "../domains/tokens/queries/index.ts";
import type { UntouchedBalances } from "../domains/tokens/queries/untouched-balances.ts";
import type { Address, Hash, Hex } from "../lib/hex.ts";
import type { RequestError } from "../lib/request-error.ts";
import type { AsOfProjection } from "./as-of-projection.ts";

/** The context of every resolver, in addition to its request. */
export interface ResolverContext {
  /** The time of the last change to the index, shown as `updated_at`: the same for all responses to a request until the index changes. */
  readonly contentTime: () => Date;
  /** The current time. Responses may depend on its UTC day only. */
  readonly currentTime: () => Date;
  /** Marks the response as one that depends on more than the index and the day, so that it is not cached. */
  readonly markVolatile: () => void;
  readonly chains: ChainDirectory;
  readonly limits: RequestLimits;
  /** The absolute URL for a path on this server, without a query string. */
  readonly absoluteUrl: (path: string) => string;
  /** The as-of block: a list's anchor, otherwise the indexed head; null if there is no chain or it has no block yet. */
  readonly anchor: number | null;
  /** The error for a request above the anchor while a projection that it reads is being rebuilt; otherwise null. */
  readonly rebuildError: RequestError | null;
  /** The first indexed block if it is not the chain's first block; null otherwise, or if there is no chain or it has no block yet. */
  readonly indexedFrom: number | null;
  /** Each projection's checkpoint; empty if there is no chain. */
  readonly checkpoints: ReadonlyMap<string, number>;
  /** Checks, for several chains, that no projection is behind. */
  readonly requireBuilt: AsOfProjection["requireBuilt"];
  /** Pins the anchor of the list's later pages at an earlier block. */
  readonly pinAnchor: (block: number) => void;
  /** Quantities that a response is charged for in addition to its items: the blocks in its range, and hundredths of a credit for extras. */
  readonly chargedQuantities: { blockCount: number; extraHundredths: number };
  /** Queries all chains' databases, for requests without a chain; the other queries use the database that stores the request's chain. */
  readonly queryAll: QueryAll;
  /** A chain's log decoder. */
  readonly decoderOf: (chainId: number) => DecodeLog;
  readonly ledger: LedgerQueries;
  readonly tokens: TokenQueries;
  readonly tokenRequests: TokenRequests;
  readonly pools: PoolQueries;
  readonly prices: PriceQueries;
  readonly rollUps: RollUpQueries;
  readonly nfts: NftQueries;
  readonly nftMetadata: NftMetadataQueries;
  readonly nftSales: NftSaleQueries;
  /** Reads NFT metadata during the request, on chains that do not store it. */
  readonly uncachedMetadata: UncachedMetadata;
  /** Reads native balances from the node, during the request, for addresses that are not in the index. */
  readonly untouchedBalances: UntouchedBalances;
  readonly approvals: ApprovalQueries;
  readonly safes: SafeQueries;
  /** Classifies tokens and transfers by the operator's rules, or by the built-in ones. */
  readonly classifier: Classifier;
  readonly network: ChainQueries;
  readonly names: NameQueries;
  /** The declared protocols and their queries. */
  readonly community: Community;
  readonly bitcoin: BitcoinQueries;
  /** Address labels. */
  readonly labels: LabelQueries["labels"];
}

/** A database with some of the chains, and its queries. */
export interface ChainDatabase extends Pick<ResolverContext, "ledger" | "network" | "bitcoin"> {
  readonly chains: readonly AnyChainConfig[];
}

/** The results from all chains' databases. */
export interface QueryResults<Result> {
  readonly results: readonly Result[];
  /** The ids of the chains whose database did not respond. */
  readonly unavailableChainIds: ReadonlySet<number>;
}

/** Runs queries on all chains' databases concurrently, each for a limited time. @throws {DatabaseUnavailable} if none responds. */
export type QueryAll = <Result>(query: (database: ChainDatabase) => Promise<Result>) => Promise<QueryResults<Result>>;

/** Decodes a log; null if no known ABI matches. Never throws. */
export type DecodeLog = (log: { readonly address: Address; readonly topics: readonly Hash[]; readonly data: Hex }) => DecodedItem | null;

/** The configured chains. */
export interface ChainDirectory {
  get(chainId: number): ChainConfig;
  /** The EVM chains. */
  evmChains(): readonly ChainConfig[];
  /** A Bitcoin chain; undefined if the chain is of another kind. */
  bitcoin(chainId: number): BitcoinChainConfig | undefined;
  /** Chains of all kinds, in the order in which responses list them. */
  all(): readonly AnyChainConfig[];
}

/** Each operation's resolver type. */
export type Handlers = Required<GeneratedHandlers<ResolverContext>>;
