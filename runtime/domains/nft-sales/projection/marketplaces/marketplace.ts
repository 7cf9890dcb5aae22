import type { MarketplaceConfig } from "../../../../config/nfts.ts";
import type { DecodedEvent, EventDefinition } from "../../../../events/decoded-block.ts";
import type { Address, Hash } from "../../../../lib/hex.ts";

/** What was paid for the units of a sale. */
export interface Payment {
  /** The native token's address for native payments. */
  readonly token: Address;
  readonly amount: bigint;
}

/** Units of one token id that went from one account to another for a price. */
export interface Sold {
  readonly transactionIndex: number;
  /** Of the event that tells of the sale; a bundle's sales share one. */
  readonly logIndex: number;
  /** Log index of the token's own event: what several contracts tell of one move is one trade. */
  readonly movedAt: number;
  /** The contract that tells of it. Anybody may: which of them count is chosen when sales are asked about. */
  readonly marketplace: Address;
  readonly collection: Address;
  readonly tokenId: bigint;
  readonly standard: number;
  readonly units: bigint;
  readonly seller: Address;
  readonly buyer: Address;
  /** Whose standing order was filled. */
  readonly maker: "seller" | "buyer";
  /** `bid`: what the buyer bid before. Null where the price is not known, or is in several tokens at once. */
  readonly payment: Payment | "bid" | null;
}

/** What a transaction's logs say. */
export interface TransactionEvents {
  readonly index: number;
  /** Null where the block does not have it. */
  readonly sender: Address | null;
  readonly events: readonly DecodedEvent[];
}

/** How sales are read from the events of one kind of marketplace. Another one is another file, and a line in the list of them. */
export interface Marketplace {
  readonly protocol: MarketplaceConfig["protocol"];
  /** What it is in the tables: never changed. */
  readonly code: number;
  /** First topic of the event that tells of a sale. */
  readonly topic0: Hash;
  readonly events: readonly EventDefinition[];
  /** Whether an event tells of sales: a transaction without one is not looked at. */
  readonly tells: (event: DecodedEvent) => boolean;
  /** The sales of a transaction, in the order of their events. Amounts in wrapped native tokens are told apart by `wrappedNative`. */
  readonly salesOf: (transaction: TransactionEvents, wrappedNative: ReadonlySet<Address>) => readonly Sold[];
}
