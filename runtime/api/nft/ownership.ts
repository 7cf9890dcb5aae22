import type { Chain } from "../../../generated/requests.gen.ts";
import type { NftOwnershipForCollectionResponse } from "../../../generated/responses.gen.ts";
import { nftKeyText } from "../../domains/nft/queries/tokens.ts";
import type { TraitFilter } from "../../domains/nft-metadata/queries/trait-filter.ts";
import type { Address } from "../../lib/hex.ts";
import { unsupportedValue } from "../../lib/request-error.ts";
import { isoTimestamp } from "../../lib/time.ts";
import { forEachInTurns, mapInTurns } from "../../lib/turns.ts";
import { updatedAt } from "../chains/view-chain.ts";
import type { ResolverContext } from "../context.ts";
import { collectionOf, standardsOf, viewCollection } from "./collection.ts";
import { readDayAgo } from "./day-ago.ts";
import { viewHeldTokens } from "./held-tokens.ts";

/** Selects token ids of a collection; all of them if empty. */
interface TokenSelection {
  readonly tokenId?: bigint;
  readonly filter?: TraitFilter | null;
}

/**
 * The selected tokens of a collection that a wallet holds. @throws {RequestError} 404 if the collection is unknown, 400 if there are more tokens than a
 * response may list.
 */
export async function ownershipOf(
  context: ResolverContext,
  {
    chain,
    walletAddress,
    collectionContract,
  }: { readonly chain: Chain; readonly walletAddress: Address; readonly collectionContract: Address },
  selection: TokenSelection,
): Promise<NftOwnershipForCollectionResponse> {
  const { anchor, nfts, nftMetadata } = context;
  const max = context.limits.answerRows;
  const heldAt = (block: number | null, { tokenId, filter = null }: TokenSelection, limit: number) => {
    if (block === null) return [];
    return filter === null
      ? nfts.idsHeldAt(chain.id, walletAddress, collectionContract, block, limit, tokenId)
      : nftMetadata.idsHeldByTrait(chain.id, walletAddress, collectionContract, block, filter, limit);
  };
  const [{ metadata, standard, isSpam }, { block: dayAgo, indexedFrom, missingBalance }] = await Promise.all([
    collectionOf(context, chain, collectionContract),
    readDayAgo(context, chain),
  ]);
  // Balances a day ago are selected by id only, because only current traits are known.
  const [held, earlier] = await Promise.all([
    heldAt(anchor, selection, max + 1),
    heldAt(dayAgo, selection.tokenId === undefined ? {} : { tokenId: selection.tokenId }, max + 1),
  ]);
  if (held.length > max) throw unsupportedValue("walletAddress", walletAddress, `a wallet with at most ${max} tokens of the collection`);
  const viewed = await viewHeldTokens(context, chain, walletAddress, held, { noMetadata: false, withUncached: false });
  const collection = viewCollection(metadata);
  const supported = standardsOf(metadata, standard);
  const balance24h = new Map<string, string | null>();
  await forEachInTurns(earlier, (row) => void balance24h.set(nftKeyText(row), row.balance));
  const missing24h = earlier.length > max ? null : missingBalance;
  return {
    updated_at: updatedAt(context.now()),
    address: walletAddress,
    collection: collectionContract,
    is_spam: isSpam,
    items: await mapInTurns(held, (row, index) => {
      const before = balance24h.get(nftKeyText(row));
      return {
        ...collection,
        token_id: row.token_id,
        supports_erc: supported,
        last_transfered_at: row.moved_at === null ? null : isoTimestamp(row.moved_at),
        balance: row.balance,
        balance_24h: before === undefined ? missing24h : before,
        type: "nft",
        nft_data: viewed[index] ?? null,
      };
    }),
    indexed_from: indexedFrom,
  };
}
