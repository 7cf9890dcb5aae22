import type { LiveHandlers } from "../../generated/handlers.gen.ts";

/** The projections that responses read, with their names in error messages. The ledger is not one of them: projections are built from it. */
export const projectionSubjects = {
  "address-activity": "Sums of fees",
  approvals: "Approvals",
  names: "Names",
  nft: "NFT collections",
  "nft-sales": "NFT sales",
  pools: "Exchange pools",
  tokens: "Token balances",
} as const;

export type ProjectionId = keyof typeof projectionSubjects | CommunityProjectionId;

/** The projection of a declared protocol. */
export type CommunityProjectionId = `community:${string}`;

/** A projection's data, as the subject of error messages. */
export const subjectOf = (projection: ProjectionId): string =>
  isCommunityProjection(projection) ? `Tables of ${projection.slice(communityPrefix.length)}` : projectionSubjects[projection];

const communityPrefix = "community:";
/** Whether a projection belongs to a declared protocol. */
export const isCommunityProjection = (projection: ProjectionId): projection is CommunityProjectionId =>
  projection.startsWith(communityPrefix);

/**
 * The projections that an operation reads. Additional data, such as address labels, contract standards and pool factories, does not limit a
 * response: it is as of its own projection's checkpoint.
 */
export interface ProjectionReads {
  /** Read as of the anchor: while one is behind, the response is as of its checkpoint. */
  readonly asOf?: readonly ProjectionId[];
  /** Read at the head, without history: while one is behind, the request is rejected. */
  readonly atHead?: readonly ProjectionId[];
  /** Read only to check that something exists: while one is behind, a 404 would be unreliable. */
  readonly forExistence?: readonly ProjectionId[];
}

type ReadsOfRequest<Name extends keyof LiveHandlers<unknown>> =
  | ProjectionReads
  | ((request: Parameters<LiveHandlers<unknown>[Name]>[0]) => ProjectionReads);

const nothing: ProjectionReads = {};
const tokens: ProjectionReads = { asOf: ["tokens"] };
const pools: ProjectionReads = { asOf: ["pools"] };
const poolsOfToken: ProjectionReads = { asOf: ["pools"], forExistence: ["tokens"] };
const poolsOfOwner: ProjectionReads = { asOf: ["pools", "tokens"] };
const collections: ProjectionReads = { asOf: ["nft", "tokens"] };
const traits: ProjectionReads = { forExistence: ["tokens"] };
const market: ProjectionReads = { asOf: ["nft-sales"], forExistence: ["tokens"] };
const heldNfts: ProjectionReads = { asOf: ["tokens", "nft", "nft-sales"] };
const approvals: ProjectionReads = { atHead: ["approvals", "tokens"] };

/** The reads of a request that may include collection ids. */
const holdings = ({ nft }: { readonly nft: boolean }): ProjectionReads => (nft ? heldNfts : tokens);

/** Community endpoints read the projection of the protocol in the path. */
type ListedOperation = Exclude<keyof LiveHandlers<unknown>, `getCommunity${string}`>;

/** The reads of each live operation except the community endpoints; a missing operation is a compile-time error. */
const readsOfOperations: { readonly [Name in ListedOperation]: ReadsOfRequest<Name> } = {
  checkOwnershipInNft: collections,
  checkOwnershipInNftForSpecificTokenId: collections,
  getAddressActivity: { atHead: ["tokens"] },
  getAddressExchangeBalances: poolsOfOwner,
  getAllChains: nothing,
  getAllChainStatus: nothing,
  getApprovals: approvals,
  getAttributesForTraitInCollection: traits,
  getBlock: nothing,
  getBlockHeights: nothing,
  getChainCollections: collections,
  getCollectionTraitsSummary: traits,
  getDexForPoolAddress: pools,
  getEarliestTransactionsForAddress: nothing,
  getEcosystemChartData: pools,
  getErc20TransfersForWalletAddress: tokens,
  getGasPrices: ({ eventType }) => (eventType === "erc20" ? { atHead: ["tokens"] } : nothing),
  // The response contains the checkpoint of the pools projection.
  getHealthData: nothing,
  getHistoricalPortfolioForWalletAddress: tokens,
  getHistoricalTokenBalancesForWalletAddress: holdings,
  getLogEventsByAddress: nothing,
  getLogEventsByTopicHash: nothing,
  getLogs: nothing,
  getLpTokenView: pools,
  getNativeTokenBalance: tokens,
  getNetworkExchangeTokens: pools,
  getNftApprovals: approvals,
  getNftMarketFloorPrice: market,
  getNftMarketSaleCount: market,
  getNftMarketVolume: market,
  getNftMetadataForGivenTokenIdForContract: collections,
  getNftsForAddress: heldNfts,
  getNftTransactionsForContractTokenId: tokens,
  getPoolByAddress: pools,
  getPools: pools,
  getPoolsForTokenAddress: poolsOfToken,
  getPoolsForWalletAddress: poolsOfOwner,
  getResolvedAddress: { atHead: ["names"] },
  getSingleNetworkExchangeToken: poolsOfToken,
  getSupportedDexes: nothing,
  getTimeBucketTransactionsForAddress: nothing,
  getTokenBalancesForWalletAddress: holdings,
  getTokenHolders: tokens,
  getTokenIdsForContractWithMetadata: collections,
  getTokenPrices: nothing,
  getTraitsForCollection: traits,
  // Details are null until their projection includes the transaction's block.
  getTransaction: nothing,
  getTransactionsForAccountAddress: pools,
  getTransactionsForAddress: nothing,
  getTransactionsForAddressByPage: nothing,
  getTransactionsForBlock: nothing,
  getTransactionsForBlockByPage: nothing,
  getTransactionsForBlockHash: nothing,
  getTransactionsForBlockHashByPage: nothing,
  getTransactionsForDex: pools,
  getTransactionsForExchange: pools,
  getTransactionsForTokenAddress: poolsOfToken,
  getTransactionSummary: ({ withGas }) => (withGas ? { asOf: ["address-activity"] } : nothing),
};

/**
 * The projections that a request reads; none for a planned operation. Requests to community endpoints name their protocol; `readsPools` returns whether its
 * SQL reads pools of exchanges.
 */
export function readsOf(operation: string, request: unknown, readsPools: (protocol: string) => boolean): ProjectionReads {
  const { protocol } = request as { readonly protocol?: unknown };
  if (typeof protocol === "string")
    return { asOf: [`${communityPrefix}${protocol}`, "tokens", ...(readsPools(protocol) ? (["pools"] as const) : [])] };
  const reads = (readsOfOperations as Readonly<Record<string, ProjectionReads | ((request: never) => ProjectionReads)>>)[operation];
  return typeof reads === "function" ? reads(request as never) : (reads ?? nothing);
}
