import type { ChainLog } from "../chain/types.ts";
import { type Address, type Hash, zeroAddress } from "../lib/hex.ts";
import type { DecodedEvent, EventDefinition, PunkEvent, PunkEventFields } from "./decoded-block.ts";
import { topicAddress, wordAt, wordCount } from "./words.ts";

const define = (id: string, topic0: Hash, topics: number, read: (log: ChainLog) => PunkEventFields | null): EventDefinition => ({
  id,
  topic0,
  decode: (log, transactionIndex) => {
    if (log.topics.length !== topics || wordCount(log.data) !== 1) return null;
    const fact = read(log);
    return fact === null ? null : { address: log.address, transactionIndex, logIndex: log.index, ...fact };
  },
});

/**
 * CryptoPunks' Assign(address,uint256): the first owner of a punk. It does not name the previous owner if the contract's owner reassigns a punk
 * before sales open.
 */
export const punkAssigned = define(
  "punkAssigned",
  "0x8a0e37b73a0d9c82e205d4d1a3ff3d0b57ce5f4d7bccf6bac03336dc101cb7ba",
  2,
  ({ topics, data }) => {
    const to = topicAddress(topics[1]);
    return to === null ? null : { kind: "punkAssigned", tokenId: wordAt(data, 0), to };
  },
);

/** CryptoPunks' PunkTransfer(address,address,uint256). */
export const punkTransferred = define(
  "punkTransferred",
  "0x05af636b70da6819000c49f85b21fa82081c632069bb626f30932034099107d8",
  3,
  ({ topics, data }) => {
    const from = topicAddress(topics[1]);
    const to = topicAddress(topics[2]);
    return from === null || to === null ? null : { kind: "punkTransferred", tokenId: wordAt(data, 0), from, to };
  },
);

/** CryptoPunks' PunkBidEntered(uint256,uint256,address). */
export const punkBidEntered = define(
  "punkBidEntered",
  "0x5b859394fabae0c1ba88baffe67e751ab5248d2e879028b8c8d6897b0519f56a",
  3,
  ({ topics: [, tokenId, from], data }) => {
    const bidder = topicAddress(from);
    if (tokenId === undefined || bidder === null) return null;
    return { kind: "punkBidEntered", tokenId: BigInt(tokenId), bidder, value: wordAt(data, 0) };
  },
);

/** CryptoPunks' PunkBought(uint256,uint256,address,address). */
export const punkBought = define(
  "punkBought",
  "0x58e5d5a525e3b40bc15abaa38b5882678db1ee68befd2f60bafe3a7fd06db9e3",
  4,
  ({ topics: [, tokenId, seller, buyer], data }) => {
    const from = topicAddress(seller);
    const to = topicAddress(buyer);
    if (tokenId === undefined || from === null || to === null) return null;
    return { kind: "punkBought", tokenId: BigInt(tokenId), from, to, value: wordAt(data, 0) };
  },
);

/** The events that transfer punks. */
export const punkMovements = [punkAssigned, punkTransferred, punkBought] as const;

/** A punk's transfer between accounts; a mint is from the zero address. */
export interface PunkMovement {
  readonly from: Address;
  readonly to: Address;
  readonly tokenId: bigint;
}

/**
 * The punk transfer in the event at a position in its block; null if the event transfers no punk, or the receiver is unknown. The event for an accepted
 * bid does not name the buyer: the buyer receives the ERC-20-like Transfer(seller, buyer, 1) that the contract emits before it in the same transaction.
 */
export const punkMovementAt = (events: readonly DecodedEvent[], position: number): PunkMovement | null => {
  const event = events[position];
  if (event?.kind === "punkAssigned") return { from: zeroAddress, to: event.to, tokenId: event.tokenId };
  if (event?.kind === "punkTransferred") return { from: event.from, to: event.to, tokenId: event.tokenId };
  if (event?.kind !== "punkBought") return null;
  const to = event.to === zeroAddress ? receiverBefore(events, position, event) : event.to;
  return to === null ? null : { from: event.from, to, tokenId: event.tokenId };
};

const receiverBefore = (
  events: readonly DecodedEvent[],
  position: number,
  bought: Extract<PunkEvent, { kind: "punkBought" }>,
): Address | null => {
  for (let earlier = position - 1; earlier >= 0; earlier -= 1) {
    const event = events[earlier];
    if (event === undefined || event.transactionIndex !== bought.transactionIndex) return null;
    if (event.address !== bought.address) continue;
    const isSale = event.kind === "erc20Transfer" && event.from === bought.from && event.amount === 1n;
    return isSale ? event.to : null;
  }
  return null;
};
