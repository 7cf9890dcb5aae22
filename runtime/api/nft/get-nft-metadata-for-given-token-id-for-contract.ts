import { notFound } from "../../lib/request-error.ts";
import { updatedAt } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { collectionOf } from "./collection.ts";
import { loadTokenItems } from "./collection-tokens.ts";
import { uncachedMetadataWarning } from "./known-metadata.ts";

/**
 * A collection's token. @throws {RequestError} 404 if the collection is unknown, or if the index is complete and has no transfer of the token.
 */
export const getNftMetadataForGivenTokenIdForContract: Handlers["getNftMetadataForGivenTokenIdForContract"] = async (request, context) => {
  const { chain, contractAddress, tokenId } = request;
  const block = context.anchor ?? -1;
  const { indexedFrom } = context;
  const [collection, [found]] = await Promise.all([
    collectionOf(context, chain, contractAddress),
    context.nfts.nftTokenAt(chain.id, contractAddress, tokenId, block),
  ]);
  if (found === undefined && indexedFrom === null) throw notFound(`Token ${tokenId} of`, contractAddress, chain.name);
  // A token without a transfer may have been minted before the first indexed block.
  const row = found ?? { token_id: String(tokenId), standard: collection.standard, original_owner: null };
  return {
    updated_at: updatedAt(context.contentTime()),
    items: await loadTokenItems(context, chain, collection, [row], block, request),
    pagination: null,
    indexed_from: indexedFrom,
    warning: uncachedMetadataWarning(context, chain, request),
  };
};
