import type { Chain } from "../../../generated/requests.gen.ts";
import type { NftData } from "../../../generated/responses.gen.ts";
import { type HeldTokenRow, metadataOfHeld } from "../../domains/nft-metadata/queries/held-tokens.ts";
import { metadataKeyText } from "../../domains/nft-metadata/queries/metadata.ts";
import { standards } from "../../domains/tokens/projection/standards.ts";
import type { Address } from "../../lib/hex.ts";
import { filterInTurns, mapInTurns } from "../../lib/turns.ts";
import type { ResolverContext } from "../context.ts";
import { freshMetadata } from "./known-metadata.ts";
import { viewNft } from "./view-nft.ts";

/** Options for a list of held tokens. */
export interface HeldTokenOptions {
  readonly noMetadata: boolean;
  readonly withUncached: boolean;
}

/** The items of tokens that an account holds, in the order of `rows`. */
export async function viewHeldTokens(
  context: ResolverContext,
  chain: Chain,
  owner: Address,
  rows: readonly HeldTokenRow[],
  { noMetadata, withUncached }: HeldTokenOptions,
): Promise<NftData[]> {
  const missing = withUncached && !noMetadata ? await filterInTurns(rows, (row) => metadataOfHeld(row) === undefined) : [];
  const fresh = await freshMetadata(context, chain, missing);
  return mapInTurns(rows, (row) => {
    // An ERC-1155 id may have many owners; an unknown balance may be zero.
    const currentOwner = row.standard === standards.erc721 && row.balance !== null ? owner : null;
    const metadata = metadataOfHeld(row) ?? fresh.get(metadataKeyText(row));
    return viewNft(row.token_id, { originalOwner: row.original_owner, currentOwner, metadata }, noMetadata);
  });
}
