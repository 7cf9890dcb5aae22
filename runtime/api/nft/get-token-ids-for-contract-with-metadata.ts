import { traitFilter } from "../../domains/nft-metadata/queries/trait-filter.ts";
import { updatedAt } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { collectionOf } from "./collection.ts";
import { loadTokenItems } from "./collection-tokens.ts";
import { uncachedMetadataWarning } from "./known-metadata.ts";

/** A collection's token ids, ascending: all of them, or those with the requested traits. @throws {RequestError} 404 if the collection is unknown. */
export const getTokenIdsForContractWithMetadata: Handlers["getTokenIdsForContractWithMetadata"] = async (request, context) => {
  const { chain, contractAddress, traitsFilter, valuesFilter, page } = request;
  const { nfts, nftMetadata } = context;
  const collection = await collectionOf(context, chain, contractAddress);
  const block = context.anchor ?? -1;
  const filter = traitFilter(traitsFilter, valuesFilter);
  const [limit, offset] = [page.size + 1, page.number * page.size];
  const { rows, total } =
    filter === null
      ? await Promise.all([
          nfts.nftTokensAt(chain.id, contractAddress, block, limit, offset),
          nfts.collectionSizeAt(chain.id, contractAddress, block),
        ]).then(([rows, total]) => ({ rows, total }))
      : await nftMetadata.nftTokensByTrait(chain.id, contractAddress, block, filter, limit, offset);
  return {
    updated_at: updatedAt(context.contentTime()),
    items: await loadTokenItems(context, chain, collection, rows.slice(0, page.size), block, request),
    pagination: { has_more: rows.length > page.size, page_number: page.number, page_size: page.size, total_count: total },
    indexed_from: context.indexedFrom,
    warning: uncachedMetadataWarning(context, chain, request),
  };
};
