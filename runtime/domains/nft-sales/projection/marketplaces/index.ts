import type { DecodedBlock } from "../../../../events/decoded-block.ts";
import { groupBy } from "../../../../lib/group-by.ts";
import type { Address } from "../../../../lib/hex.ts";
import { cryptopunks } from "./cryptopunks.ts";
import type { MarketplaceProtocol, Sale } from "./marketplace-protocol.ts";
import { seaport } from "./seaport.ts";

/** Every supported kind of marketplace. */
export const marketplaceProtocols: readonly MarketplaceProtocol[] = [seaport, cryptopunks];

/** A sale and the kind of marketplace that emitted it. */
export interface MarketplaceSale extends Sale {
  readonly protocol: MarketplaceProtocol;
}

/** A block's sales in event order. A block without a sale event takes one pass over its events. */
export const salesOfBlock = ({ block, events }: DecodedBlock, wrappedNative: ReadonlySet<Address>): readonly MarketplaceSale[] => {
  const transactionsWithSales = new Set(
    events.filter((event) => marketplaceProtocols.some(({ isSale }) => isSale(event))).map((event) => event.transactionIndex),
  );
  if (transactionsWithSales.size === 0) return [];
  const byTransaction = groupBy(
    events.filter(({ transactionIndex }) => transactionsWithSales.has(transactionIndex)),
    ({ transactionIndex }) => transactionIndex,
  );
  return [...byTransaction].flatMap(([index, transactionEvents]) => {
    const sender = block.transactions[index]?.from ?? null;
    return marketplaceProtocols
      .flatMap((protocol) =>
        protocol.salesOf({ index, sender, events: transactionEvents }, wrappedNative).map((sale) => ({ ...sale, protocol })),
      )
      .sort((left, right) => left.logIndex - right.logIndex);
  });
};
