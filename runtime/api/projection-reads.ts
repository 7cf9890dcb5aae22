import type { LiveHandlers } from "../../generated/handlers.gen.ts";

/** The projections that answers read, each with what a client knows its data as. The ledger is not one of them: it is what they are built from. */
export const projectionSubjects = {
  "address-activity": "Sums of fees",
  approvals: "Approvals",
  names: "Names",
  nft: "NFT collections",
  "nft-sales": "NFT sales",
  pools: "Exchange pools",
  tokens: "Token balances",
} as const;

export type ProjectionId = keyof typeof projectionSubjects;

/**
 * What an operation reads of projections. What rows are decorated with cannot hold an answer up: labels of addresses, standards of contracts and factories of pools that
 * are shown beside something else are as of what is built of them.
 */
export interface ProjectionReads {
  /** Read as of the anchor: while one is behind, the answer is as of its last block. */
  readonly asOf?: readonly ProjectionId[];
  /** Read as it is now, which says nothing of the past: while one is behind, there is no answer. */
  readonly now?: readonly ProjectionId[];
  /** Read only to see whether something exists: while one is behind, what is not found may exist. */
  readonly exists?: readonly ProjectionId[];
}

type ReadsOfRequest<Name extends keyof LiveHandlers<unknown>> =
  | ProjectionReads
  | ((request: Parameters<LiveHandlers<unknown>[Name]>[0]) => ProjectionReads);

const nothing: ProjectionReads = {};
const tokens: ProjectionReads = { asOf: ["tokens"] };
const pools: ProjectionReads = { asOf: ["pools"] };
const poolsOfToken: ProjectionReads = { asOf: ["pools"], exists: ["tokens"] };
const poolsOfOwner: ProjectionReads = { asOf: ["pools", "tokens"] };
const collections: ProjectionReads = { asOf: ["nft", "tokens"] };
const traits: ProjectionReads = { exists: ["tokens"] };
const market: ProjectionReads = { asOf: ["nft-sales"], exists: ["tokens"] };
const heldNfts: ProjectionReads = { asOf: ["tokens", "nft", "nft-sales"] };
const approvals: ProjectionReads = { now: ["approvals", "tokens"] };

/** Of a request that may ask for the ids of collections. */
const holdings = ({ nft }: { readonly nft: boolean }): ProjectionReads => (nft ? heldNfts : tokens);

/** What each live operation reads of projections: one that is not listed does not compile. */
const readsOfOperations: { readonly [Name in keyof LiveHandlers<unknown>]: ReadsOfRequest<Name> } = {
  checkOwnershipInNft: collections,
  checkOwnershipInNftForSpecificTokenId: collections,
  getAddressActivity: { now: ["tokens"] },
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
  getGasPrices: ({ eventType }) => (eventType === "erc20" ? { now: ["tokens"] } : nothing),
  // It says itself how far the pools are built.
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
  getResolvedAddress: { now: ["names"] },
  getSingleNetworkExchangeToken: poolsOfToken,
  getSupportedDexes: nothing,
  getTimeBucketTransactionsForAddress: nothing,
  getTokenBalancesForWalletAddress: holdings,
  getTokenHolders: tokens,
  getTokenIdsForContractWithMetadata: collections,
  getTokenPrices: nothing,
  getTraitsForCollection: traits,
  // Details that were asked for are null while their projection has not come to the transaction's block.
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

/** What a request reads of projections; nothing for an operation that is not live. */
export function readsOf(operation: string, request: unknown): ProjectionReads {
  const reads = (readsOfOperations as Readonly<Record<string, ProjectionReads | ((request: never) => ProjectionReads)>>)[operation];
  return typeof reads === "function" ? reads(request as never) : (reads ?? nothing);
}
