import type { ChainConfig } from "../config/config.ts";
import { registriesOfChain } from "../domains/names/queries/index.ts";
import { isCommunityProjection, type ProjectionId } from "./projection-reads.ts";

/** Whether responses about a chain read a projection: names require a configured registry, sales a marketplace, and declared protocols their contracts. */
export function createIsProjectionRead(
  chains: readonly ChainConfig[],
  isIndexed: (chainId: number, projection: string) => boolean,
): (chainId: number, projection: ProjectionId) => boolean {
  const unread = new Map(
    chains.map((chain): [number, readonly ProjectionId[]] => [
      chain.id,
      [
        ...(registriesOfChain(chain).length === 0 ? (["names"] as const) : []),
        ...(chain.nfts.marketplaces.length === 0 ? (["nft-sales"] as const) : []),
      ],
    ]),
  );
  // A Bitcoin chain has no projection other than its ledger.
  return (chainId, projection) => {
    if (!unread.has(chainId)) return false;
    return isCommunityProjection(projection) ? isIndexed(chainId, projection) : unread.get(chainId)?.includes(projection) !== true;
  };
}
