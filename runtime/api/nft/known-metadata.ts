import type { Chain } from "../../../generated/requests.gen.ts";
import type { NftKey } from "../../domains/nft/queries/tokens.ts";
import type { NftMetadataRow } from "../../domains/nft-metadata/queries/metadata.ts";
import { metadataKeyText } from "../../domains/nft-metadata/queries/metadata.ts";
import { filterInTurns } from "../../lib/turns.ts";
import type { ResolverContext } from "../context.ts";

/** The warning in a response without metadata, on a chain that does not cache it. */
const uncachedWarning = "Metadata is not cached on this network; send with-uncached=true to fetch it.";

/** The warning of a response; null for none. */
export const uncachedMetadataWarning = (
  { chains }: Pick<ResolverContext, "chains">,
  chain: Chain,
  { withUncached, noMetadata }: { readonly withUncached: boolean; readonly noMetadata: boolean },
): string | null => (chains.get(chain.id).nfts.metadata === "uncached" && !withUncached && !noMetadata ? uncachedWarning : null);

/** Tokens' stored metadata and, on request, freshly read metadata for those without any. */
export async function knownMetadata(
  context: Pick<ResolverContext, "nftMetadata" | "uncachedMetadata" | "markVolatile">,
  chain: Chain,
  keys: readonly NftKey[],
  withUncached: boolean,
): Promise<(key: NftKey) => NftMetadataRow | undefined> {
  const stored = await context.nftMetadata.metadataOf(chain.id, keys);
  const missing = withUncached ? await filterInTurns(keys, (key) => !stored.has(metadataKeyText(key))) : [];
  const fresh = await freshMetadata(context, chain, missing);
  return (key) => stored.get(metadataKeyText(key)) ?? fresh.get(metadataKeyText(key));
}

/** Reads the metadata of tokens from the node and the web, by `metadataKeyText`. */
export async function freshMetadata(
  { uncachedMetadata, markVolatile }: Pick<ResolverContext, "uncachedMetadata" | "markVolatile">,
  chain: Chain,
  keys: readonly NftKey[],
): Promise<ReadonlyMap<string, NftMetadataRow>> {
  if (keys.length === 0) return new Map();
  markVolatile();
  const rows = await uncachedMetadata.read(chain.id, keys);
  return new Map(rows.map((row) => [metadataKeyText(row), row]));
}
