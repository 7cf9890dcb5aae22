import type { DecodedBlock } from "../../../../events/decoded-block.ts";
import { groupBy } from "../../../../lib/group-by.ts";
import type { Address } from "../../../../lib/hex.ts";
import { cryptopunks } from "./cryptopunks.ts";
import type { Marketplace, Sold } from "./marketplace.ts";
import { seaport } from "./seaport.ts";

/** Every kind of marketplace whose sales are known. */
export const marketplaces: readonly Marketplace[] = [seaport, cryptopunks];

/** A sale, and the kind of marketplace that told of it. */
export interface MarketplaceSale extends Sold {
  readonly protocol: Marketplace;
}

/** The sales of a block in the order of their events. A block without an event of a marketplace costs one look at its events. */
export const salesOfBlock = ({ block, events }: DecodedBlock, wrappedNative: ReadonlySet<Address>): readonly MarketplaceSale[] => {
  const telling = new Set(events.filter((event) => marketplaces.some(({ tells }) => tells(event))).map((event) => event.transactionIndex));
  if (telling.size === 0) return [];
  const byTransaction = groupBy(
    events.filter(({ transactionIndex }) => telling.has(transactionIndex)),
    ({ transactionIndex }) => transactionIndex,
  );
  return [...byTransaction].flatMap(([index, own]) => {
    const sender = block.transactions[index]?.from ?? null;
    return marketplaces
      .flatMap((protocol) => protocol.salesOf({ index, sender, events: own }, wrappedNative).map((sold) => ({ ...sold, protocol })))
      .sort((left, right) => left.logIndex - right.logIndex);
  });
};
