import type { Handlers } from "../context.ts";
import { checkOwnershipInNft } from "./check-ownership-in-nft.ts";
import { checkOwnershipInNftForSpecificTokenId } from "./check-ownership-in-nft-for-specific-token-id.ts";
import { getAttributesForTraitInCollection } from "./get-attributes-for-trait-in-collection.ts";
import { getChainCollections } from "./get-chain-collections.ts";
import { getCollectionTraitsSummary } from "./get-collection-traits-summary.ts";
import { getNftMarketFloorPrice } from "./get-nft-market-floor-price.ts";
import { getNftMarketSaleCount } from "./get-nft-market-sale-count.ts";
import { getNftMarketVolume } from "./get-nft-market-volume.ts";
import { getNftMetadataForGivenTokenIdForContract } from "./get-nft-metadata-for-given-token-id-for-contract.ts";
import { getNftTransactionsForContractTokenId } from "./get-nft-transactions-for-contract-token-id.ts";
import { getNftsForAddress } from "./get-nfts-for-address.ts";
import { getTokenIdsForContractWithMetadata } from "./get-token-ids-for-contract-with-metadata.ts";
import { getTraitsForCollection } from "./get-traits-for-collection.ts";

/** The resolvers of operations about non-fungible tokens. */
export const nftHandlers = {
  checkOwnershipInNft,
  checkOwnershipInNftForSpecificTokenId,
  getAttributesForTraitInCollection,
  getChainCollections,
  getCollectionTraitsSummary,
  getNftMarketFloorPrice,
  getNftMarketSaleCount,
  getNftMarketVolume,
  getNftMetadataForGivenTokenIdForContract,
  getNftTransactionsForContractTokenId,
  getNftsForAddress,
  getTokenIdsForContractWithMetadata,
  getTraitsForCollection,
} satisfies Partial<Handlers>;
