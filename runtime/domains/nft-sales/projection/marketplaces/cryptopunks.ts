import { punkBidEntered, punkBought, punkMovementAt } from "../../../../events/punks.ts";
import { tokenTransferEvents } from "../../../../events/transfers.ts";
import { nativeTokenAddress, zeroAddress } from "../../../../lib/hex.ts";
import { standards } from "../../../tokens/projection/standards.ts";
import type { MarketplaceProtocol, Sale } from "./marketplace-protocol.ts";

/**
 * Contracts in the style of CryptoPunks, which are both collection and marketplace: their sale events are also their ownership events. A punk
 * bought for nothing was a gift. The event for an accepted bid omits the price, which is the amount of the bid. The price is unknown if the bid was entered
 * before the first indexed block.
 */
export const cryptopunks: MarketplaceProtocol = {
  name: "cryptopunks",
  code: 2,
  topic0: punkBought.topic0,
  events: [punkBought, punkBidEntered, ...tokenTransferEvents],
  isSale: ({ kind }) => kind === "punkBought",
  salesOf: ({ events }) =>
    events.flatMap((event, position): Sale[] => {
      if (event.kind !== "punkBought") return [];
      const isBid = event.to === zeroAddress;
      const moved = punkMovementAt(events, position);
      if (moved === null || (!isBid && event.value === 0n)) return [];
      return [
        {
          transactionIndex: event.transactionIndex,
          logIndex: event.logIndex,
          transferLogIndex: event.logIndex,
          marketplace: event.address,
          collection: event.address,
          tokenId: event.tokenId,
          standard: standards.erc721,
          units: 1n,
          seller: moved.from,
          buyer: moved.to,
          maker: isBid ? "buyer" : "seller",
          payment: isBid ? "bid" : { token: nativeTokenAddress, amount: event.value },
        },
      ];
    }),
};
