import { punkBidEntered, punkBought, punkMovementAt } from "../../../../events/punks.ts";
import { transfersByStandard } from "../../../../events/transfers.ts";
import { nativeTokenAddress, zeroAddress } from "../../../../lib/hex.ts";
import { standards } from "../../../tokens/projection/standards.ts";
import type { Marketplace, Sold } from "./marketplace.ts";

/**
 * Contracts made like CryptoPunks, which are collection and market at once: their word on a sale is their word on the owner. A punk that is bought for nothing
 * was given. A bid that was accepted is told without its price, which is the bid's; not known where the bid was entered before the index began.
 */
export const cryptopunks: Marketplace = {
  protocol: "cryptopunks",
  code: 2,
  topic0: punkBought.topic0,
  events: [punkBought, punkBidEntered, ...transfersByStandard],
  tells: ({ kind }) => kind === "punkBought",
  salesOf: ({ events }) =>
    events.flatMap((event, position): Sold[] => {
      if (event.kind !== "punkBought") return [];
      const isBid = event.to === zeroAddress;
      const moved = punkMovementAt(events, position);
      if (moved === null || (!isBid && event.value === 0n)) return [];
      return [
        {
          transactionIndex: event.transactionIndex,
          logIndex: event.logIndex,
          movedAt: event.logIndex,
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
