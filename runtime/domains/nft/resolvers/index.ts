import type { Handlers } from "../../context.ts";
import { getNftMarketFloorPrice } from "./get-nft-market-floor-price.ts";
import { getNftMarketSaleCount } from "./get-nft-market-sale-count.ts";
import { getNftMarketVolume } from "./get-nft-market-volume.ts";

/** The operations that are about non-fungible tokens. */
export const nftHandlers = {
  getNftMarketFloorPrice,
  getNftMarketVolume,
  getNftMarketSaleCount,
} satisfies Partial<Handlers>;
