import type { Chain } from "../../../generated/requests.gen.ts";
import type { NftOwnershipForCollectionResponse } from "../../../generated/responses.gen.ts";
import type { IdSelection } from "../../domains/nft-metadata/queries/held-tokens.ts";
import type { Address } from "../../lib/hex.ts";
import { unsupportedValue } from "../../lib/request-error.ts";
import { isoTimestamp } from "../../lib/time.ts";
import { mapInTurns } from "../../lib/turns.ts";
import { updatedAt } from "../chains/view-chain.ts";
import type { ResolverContext } from "../context.ts";
import { readBlockDayAgo } from "./block-day-ago.ts";
import { collectionOf, standardsOf, viewCollection } from "./collection.ts";
import { viewHeldTokens } from "./held-tokens.ts";

/**
 * The selected tokens that a wallet holds in a collection. @throws {RequestError} 404 if the collection is unknown, 400 if there are more tokens than a
 * response may list.
 */
export async function ownershipOf(
  context: ResolverContext,
  {
    chain,
    walletAddress,
    collectionContract,
  }: { readonly chain: Chain; readonly walletAddress: Address; readonly collectionContract: Address },
  selection: IdSelection,
): Promise<NftOwnershipForCollectionResponse> {
  const { anchor, nftMetadata } = context;
  const max = context.limits.responseRows;
  const [{ metadata, standard, isSpam }, { block: comparisonBlock, indexedFrom, missingBalance }] = await Promise.all([
    collectionOf(context, chain, collectionContract),
    readBlockDayAgo(context, chain),
  ]);
  const span = { block: anchor ?? -1, comparisonBlock, limit: max + 1 };
  const held = await nftMetadata.idsHeldAt(chain.id, walletAddress, collectionContract, span, selection);
  if (held.length > max) throw unsupportedValue("walletAddress", walletAddress, `a wallet with at most ${max} tokens of the collection`);
  const viewed = await viewHeldTokens(context, chain, walletAddress, held, { noMetadata: false, withUncached: false });
  const collection = viewCollection(metadata);
  const supported = standardsOf(metadata, standard);
  return {
    updated_at: updatedAt(context.contentTime()),
    address: walletAddress,
    collection: collectionContract,
    is_spam: isSpam,
    items: await mapInTurns(held, (row, index) => ({
      ...collection,
      token_id: row.token_id,
      supports_erc: supported,
      last_transfered_at: row.moved_at === null ? null : isoTimestamp(row.moved_at),
      balance: row.balance,
      balance_24h: comparisonBlock === null ? missingBalance : row.balance_before,
      type: "nft",
      nft_data: viewed[index] ?? null,
    })),
    indexed_from: indexedFrom,
  };
}
