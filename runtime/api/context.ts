import type { Handlers as GeneratedHandlers } from "../../generated/handlers.gen.ts";
import type { DecodedItem } from "../../generated/responses.gen.ts";
import type { ChainConfig } from "../config/config.ts";
import type { Limits } from "../config/limits.ts";
import type { ApprovalQueries } from "../domains/approvals/queries/index.ts";
import type { NetworkQueries } from "../domains/chains/queries/index.ts";
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
import type { Classifier } from "../domains/tokens/classification/classifier.ts";
import type { TokenRequests } from "../domains/tokens/jobs/record-token-requests.ts";
import type { TokenQueries } from "../domains/tokens/queries/index.ts";
import type { UnseenBalances } from "../domains/tokens/queries/unseen-balances.ts";
import type { Address, Hash, Hex } from "../lib/hex.ts";
import type { RequestError } from "../lib/request-error.ts";
import type { AsOfProjection } from "./as-of-projection.ts";

/** What every resolver is given beside its request. */
export interface ResolverContext {
  /** The time of the answer (`updated_at`). */
  readonly now: () => Date;
  readonly chains: ChainDirectory;
  readonly limits: Limits;
  /** The absolute URL of a path of this server, without a query string. */
  readonly link: (path: string) => string;
  /** The block that a list is answered as of: the anchor of its pages, else the indexed head; null on endpoints without a chain or before the first block. */
  readonly anchor: number | null;
  /** The failure of a request about a block above the anchor while a projection that it reads is rebuilt; null when none is. */
  readonly rebuilding: RequestError | null;
  /** The last block of each projection; none on endpoints without a chain. */
  readonly checkpoints: ReadonlyMap<string, number>;
  /** Lets a request pass that reads projections of several chains as they are now. */
  readonly requireBuilt: AsOfProjection["requireBuilt"];
  /** Has the later pages of the answer's list answered as of an earlier block than the anchor. */
  readonly pin: (block: number) => void;
  /** What an answer charges for and does not show: the blocks of its range, hundredths of a credit for extras. */
  readonly counted: { blocks: number; extraHundredths: number };
  /** What decodes a chain's logs. */
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
  /** What reads metadata while a request waits, on chains that do not keep it. */
  readonly uncached: UncachedMetadata;
  /** What reads native balances that the index cannot know, while a request waits. */
  readonly unseenBalances: UnseenBalances;
  readonly approvals: ApprovalQueries;
  /** Says what tokens are, by the operator's rules or the built-in ones. */
  readonly classifier: Classifier;
  readonly network: NetworkQueries;
  readonly names: NameQueries;
  /** What answers call addresses. */
  readonly labels: LabelQueries["labels"];
}

/** The event that a log is, or null when no known ABI fits. Never throws. */
export type DecodeLog = (log: { readonly address: Address; readonly topics: readonly Hash[]; readonly data: Hex }) => DecodedItem | null;

/** The configured chains. */
export interface ChainDirectory {
  get(chainId: number): ChainConfig;
  list(): readonly ChainConfig[];
}

/** The resolvers' types, one entry an operation. */
export type Handlers = Required<GeneratedHandlers<ResolverContext>>;
