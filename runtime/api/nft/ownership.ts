import type { Chain } from "../../../generated/requests.gen.ts";
import type { NftOwnershipForCollectionResponse } from "../../../generated/responses.gen.ts";
import { nftKeyText } from "../../domains/nft/queries/tokens.ts";
import type { TraitFilter } from "../../domains/nft-metadata/queries/trait-filter.ts";
import type { Address } from "../../lib/hex.ts";
import { unsupportedValue } from "../../lib/request-error.ts";
import { isoTimestamp } from "../../lib/time.ts";
import { updatedAt } from "../chains/view-chain.ts";
import type { ResolverContext } from "../context.ts";
import { aDayAgo } from "./a-day-ago.ts";
import { collectionOf, standardsOf, viewCollection } from "./collection.ts";
import { viewHeldTokens } from "./held-tokens.ts";

/** Selects ids of a collection. */
interface HeldAmong {
  readonly tokenId?: bigint;
  readonly filter?: TraitFilter | null;
}

/**
 * The selected tokens of a collection that a wallet holds. @throws {notFound} for an unknown collection; {unsupportedValue} for more tokens than one response
 * may list.
 */
export async function ownershipOf(
  context: ResolverContext,
  {
    chain,
    walletAddress,
    collectionContract,
  }: { readonly chain: Chain; readonly walletAddress: Address; readonly collectionContract: Address },
  among: HeldAmong,
): Promise<NftOwnershipForCollectionResponse> {
  const { anchor, nfts, nftMetadata } = context;
  const max = context.limits.answerRows;
  const heldAt = (block: number | null, { tokenId, filter = null }: HeldAmong, limit: number) => {
    if (block === null) return [];
    return filter === null
      ? nfts.idsHeldAt(chain.id, walletAddress, collectionContract, block, limit, tokenId)
      : nftMetadata.idsHeldByTrait(chain.id, walletAddress, collectionContract, block, filter, limit);
  };
  const [{ metadata, standard, isSpam }, { block: dayAgo, indexedFrom, otherwise }] = await Promise.all([
    collectionOf(context, chain, collectionContract),
    aDayAgo(context, chain),
  ]);
  // The balance a day ago is selected by id alone: traits are known as of now.
  const [held, earlier] = await Promise.all([
    heldAt(anchor, among, max + 1),
    heldAt(dayAgo, among.tokenId === undefined ? {} : { tokenId: among.tokenId }, max + 1),
  ]);
  if (held.length > max) throw unsupportedValue("walletAddress", walletAddress, `a wallet with at most ${max} tokens of the collection`);
  const viewed = await viewHeldTokens(context, chain, walletAddress, held, { noMetadata: false, withUncached: false });
  const collection = viewCollection(metadata);
  const supported = standardsOf(metadata, standard);
  const balance24h = new Map(earlier.map((row) => [nftKeyText(row), row.balance]));
  const notFound24h = earlier.length > max ? null : otherwise;
  return {
    updated_at: updatedAt(context.now()),
    address: walletAddress,
    collection: collectionContract,
    is_spam: isSpam,
    items: held.map((row, index) => {
      const before = balance24h.get(nftKeyText(row));
      return {
        ...collection,
        token_id: row.token_id,
        supports_erc: supported,
        last_transfered_at: row.moved_at === null ? null : isoTimestamp(row.moved_at),
        balance: row.balance,
        balance_24h: before === undefined ? notFound24h : before,
        type: "nft",
        nft_data: viewed[index] ?? null,
      };
    }),
    indexed_from: indexedFrom,
  };
}
