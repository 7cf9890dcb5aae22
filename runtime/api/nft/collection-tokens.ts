import type { Chain } from "../../../generated/requests.gen.ts";
import type { NftTokenContract } from "../../../generated/responses.gen.ts";
import type { NftTokenRow } from "../../domains/nft/queries/tokens.ts";
import { standards } from "../../domains/tokens/projection/standards.ts";
import type { Address } from "../../lib/hex.ts";
import { mapInTurns } from "../../lib/turns.ts";
import type { ResolverContext } from "../context.ts";
import { type Collection, viewCollection } from "./collection.ts";
import { knownMetadata } from "./known-metadata.ts";
import { viewNft } from "./view-nft.ts";

/** Options for a token list. */
export interface TokenOptions {
  readonly noMetadata: boolean;
  readonly withUncached: boolean;
}

/** Items for a collection's tokens, with their owners after a block. */
export async function loadTokenItems(
  context: ResolverContext,
  chain: Chain,
  collection: Collection,
  rows: readonly NftTokenRow[],
  block: number,
  { noMetadata, withUncached }: TokenOptions,
): Promise<NftTokenContract[]> {
  const token: Address = collection.metadata.address;
  const erc721Ids = rows.filter(({ standard }) => standard === standards.erc721).map((row) => row.token_id);
  const [owners, metadataOf] = await Promise.all([
    context.nfts.nftOwnersAt(chain.id, token, erc721Ids, block),
    knownMetadata(
      context,
      chain,
      rows.map((row) => ({ ...row, token })),
      withUncached && !noMetadata,
    ),
  ]);
  return mapInTurns(rows, (row) => ({
    ...viewCollection(collection.metadata),
    is_spam: collection.isSpam,
    type: "nft",
    nft_data: viewNft(
      row.token_id,
      {
        originalOwner: row.original_owner,
        currentOwner: row.standard === standards.erc721 ? (owners.get(row.token_id) ?? null) : null,
        metadata: metadataOf({ ...row, token }),
      },
      noMetadata,
    ),
  }));
}
