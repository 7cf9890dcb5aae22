import { notFound } from "../../lib/request-error.ts";
import { updatedAt } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { collectionOf } from "./collection.ts";
import { viewTokens } from "./collection-tokens.ts";
import { warningFor } from "./known-metadata.ts";

/** One token of a collection. @throws {notFound} for an unknown collection, or an id that never moved in a complete index. */
export const getNftMetadataForGivenTokenIdForContract: Handlers["getNftMetadataForGivenTokenIdForContract"] = async (request, context) => {
  const { chain, contractAddress, tokenId } = request;
  const block = context.anchor ?? -1;
  const [collection, [found], indexedFrom] = await Promise.all([
    collectionOf(context, chain, contractAddress),
    context.nfts.nftTokenAt(chain.id, contractAddress, tokenId, block),
    context.ledger.indexedFrom(chain.id),
  ]);
  if (found === undefined && indexedFrom === null) throw notFound(`Token ${tokenId} of`, contractAddress, chain.name);
  // An id that has not moved since the start of a late index may be older.
  const row = found ?? { token_id: String(tokenId), standard: collection.standard, original_owner: null };
  return {
    updated_at: updatedAt(context.now()),
    items: await viewTokens(context, chain, collection, [row], block, request),
    pagination: null,
    indexed_from: indexedFrom,
    warning: warningFor(context, chain, request),
  };
};
