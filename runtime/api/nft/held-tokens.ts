import type { Chain } from "../../../generated/requests.gen.ts";
import type { NftData } from "../../../generated/responses.gen.ts";
import type { NftKey } from "../../domains/nft/queries/tokens.ts";
import { nftKeyText } from "../../domains/nft/queries/tokens.ts";
import { standards } from "../../domains/tokens/projection/standards.ts";
import type { Address } from "../../lib/hex.ts";
import { mapInTurns } from "../../lib/turns.ts";
import type { ResolverContext } from "../context.ts";
import { knownMetadata } from "./known-metadata.ts";
import { viewNft } from "./view-nft.ts";

/** A token id that an account holds; a null balance is unknown. */
export interface HeldId extends NftKey {
  readonly balance: string | null;
}

/** The options of a list of held tokens. */
export interface HeldOptions {
  readonly noMetadata: boolean;
  readonly withUncached: boolean;
}

/** The items of tokens that an account holds, in the order of `ids`. */
export async function viewHeldTokens(
  context: ResolverContext,
  chain: Chain,
  owner: Address,
  ids: readonly HeldId[],
  { noMetadata, withUncached }: HeldOptions,
): Promise<NftData[]> {
  const [originalOwners, metadataOf] = await Promise.all([
    context.nfts.originalOwners(chain.id, ids),
    knownMetadata(context, chain, ids, withUncached && !noMetadata),
  ]);
  return mapInTurns(ids, (id) =>
    viewNft(
      id.token_id,
      {
        originalOwner: originalOwners.get(nftKeyText(id)) ?? null,
        // An ERC-1155 id may have many owners; an unknown balance may be zero.
        currentOwner: id.standard === standards.erc721 && id.balance !== null ? owner : null,
        metadata: metadataOf(id),
      },
      noMetadata,
    ),
  );
}
