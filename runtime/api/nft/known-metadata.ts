import type { Chain } from "../../../generated/requests.gen.ts";
import type { NftKey } from "../../domains/nft/queries/tokens.ts";
import type { NftMetadataRow } from "../../domains/nft-metadata/queries/metadata.ts";
import { metadataKeyText } from "../../domains/nft-metadata/queries/metadata.ts";
import { filterInTurns } from "../../lib/turns.ts";
import type { ResolverContext } from "../context.ts";

/** The warning of a response without metadata on a chain that does not cache it. */
const uncachedWarning = "Metadata is not cached on this network; send with-uncached=true to fetch it.";

/** The warning of a response; null for none. */
export const warningFor = (
  { chains }: Pick<ResolverContext, "chains">,
  chain: Chain,
  { withUncached, noMetadata }: { readonly withUncached: boolean; readonly noMetadata: boolean },
): string | null => (chains.get(chain.id).nfts.metadata === "uncached" && !withUncached && !noMetadata ? uncachedWarning : null);

/** The stored metadata of tokens and, on request, freshly read metadata of those without any. */
export async function knownMetadata(
  { nftMetadata, uncached, markVolatile }: Pick<ResolverContext, "nftMetadata" | "uncached" | "markVolatile">,
  chain: Chain,
  keys: readonly NftKey[],
  withUncached: boolean,
): Promise<(key: NftKey) => NftMetadataRow | undefined> {
  const stored = await nftMetadata.metadataOf(chain.id, keys);
  const missing = withUncached ? await filterInTurns(keys, (key) => !stored.has(metadataKeyText(key))) : [];
  if (missing.length > 0) markVolatile();
  const read = missing.length === 0 ? [] : await uncached.read(chain.id, missing);
  const freshRows = new Map(read.map((row) => [metadataKeyText(row), row]));
  return (key) => stored.get(metadataKeyText(key)) ?? freshRows.get(metadataKeyText(key));
}
