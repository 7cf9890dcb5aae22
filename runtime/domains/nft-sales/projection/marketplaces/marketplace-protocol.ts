import type { MarketplaceConfig } from "../../../../config/nfts.ts";
import type { DecodedEvent, EventDefinition } from "../../../../events/decoded-block.ts";
import type { Address, Hash } from "../../../../lib/hex.ts";

/** The payment for a sale's units. */
export interface Payment {
  /** The native token's address for native payments. */
  readonly token: Address;
  readonly amount: bigint;
}

/** Units of one token id that one account sold to another. */
export interface Sale {
  readonly transactionIndex: number;
  /** The log index of the sale event; the sales of a bundle share one. */
  readonly logIndex: number;
  /** The log index of the token's transfer event: sales that several contracts emit for one transfer are one trade. */
  readonly transferLogIndex: number;
  /** The contract that emitted the event. Any contract can emit one, so each query chooses the marketplaces to include. */
  readonly marketplace: Address;
  readonly collection: Address;
  readonly tokenId: bigint;
  readonly standard: number;
  readonly units: bigint;
  readonly seller: Address;
  readonly buyer: Address;
  /** The side whose open order was filled. */
  readonly maker: "seller" | "buyer";
  /** `bid`: the amount of the buyer's earlier bid. Null if the price is unknown or in several tokens. */
  readonly payment: Payment | "bid" | null;
}

/** The decoded events of a transaction. */
export interface TransactionEvents {
  readonly index: number;
  /** Null if the block lacks the transaction. */
  readonly sender: Address | null;
  readonly events: readonly DecodedEvent[];
}

/** Decodes sales on one kind of marketplace. A new kind is a new file and an entry in `marketplaceProtocols`. */
export interface MarketplaceProtocol {
  readonly name: MarketplaceConfig["protocol"];
  /** The stored value, which must never change. */
  readonly code: number;
  /** The first topic of the sale event. */
  readonly topic0: Hash;
  readonly events: readonly EventDefinition[];
  /** Whether an event is a sale: transactions without one are skipped. */
  readonly isSale: (event: DecodedEvent) => boolean;
  /** A transaction's sales in event order. `wrappedNative` identifies amounts in wrapped native tokens. */
  readonly salesOf: (transaction: TransactionEvents, wrappedNative: ReadonlySet<Address>) => readonly Sale[];
}
