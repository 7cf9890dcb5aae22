import type { Hash, Hex } from "../lib/hex.ts";
import type { EventDefinition, OrderFulfilled, OrderItem } from "./decoded-block.ts";
import { addressAt, smallWordAt, topicAddress, wordAt, wordCount } from "./words.ts";

/** The number of words in an offered item (kind, token, id, amount) and in a consideration item, which also has a recipient. */
const wordsPerOffer = 4;
const wordsPerConsideration = 5;
/** Kinds by Seaport's item type: native, ERC-20, ERC-721, ERC-1155, ERC-721 with criteria, ERC-1155 with criteria. */
const kinds = ["payment", "payment", "token", "token", "token", "token"] as const;

/** OrderFulfilled(bytes32,address,address,address,(uint8,address,uint256,uint256)[],(uint8,address,uint256,uint256,address)[]) of every Seaport version. */
export const orderFulfilled: EventDefinition = {
  id: "orderFulfilled",
  topic0: "0x9d9af8e38d66c62e2c12f0225249fd9d721c54b83f48d9352c97c6cacdcb6f31",
  decode: ({ address, topics, data, index }, transactionIndex, addressOf = topicAddress) => {
    if (topics.length !== 3 || wordCount(data) < 6) return null;
    const offerer = addressOf(topics[1]);
    const recipient = addressAt(data, 1);
    const offer = offerOf(data);
    const consideration = considerationOf(data);
    if (offerer === null || recipient === null || offer === null || consideration === null) return null;
    const orderHash = hashAt(data, 0);
    return { kind: "orderFulfilled", address, transactionIndex, logIndex: index, orderHash, offerer, recipient, offer, consideration };
  },
};

/** OrdersMatched(bytes32[]) of Seaport 1.2 and later. */
export const ordersMatched: EventDefinition = {
  id: "ordersMatched",
  topic0: "0x4b9f2d36e1b4c93de62cc077b00b1a91d84b6c31b4a14e012718dcca230689e7",
  decode: ({ address, topics, data, index }, transactionIndex) => {
    if (topics.length !== 1) return null;
    const hashes = arrayAt(data, 0, 1);
    if (hashes === null) return null;
    return { kind: "ordersMatched", address, transactionIndex, logIndex: index, orderHashes: hashes.map((at) => hashAt(data, at)) };
  },
};

const offerOf = (data: Hex): OrderItem[] | null => allOrNull(arrayAt(data, 2, wordsPerOffer)?.map((at) => itemAt(data, at)));

const considerationOf = (data: Hex): OrderFulfilled["consideration"][number][] | null =>
  allOrNull(
    arrayAt(data, 3, wordsPerConsideration)?.map((at) => {
      const item = itemAt(data, at);
      const recipient = addressAt(data, at + wordsPerOffer);
      return item === null || recipient === null ? null : { ...item, recipient };
    }),
  );

const itemAt = (data: Hex, at: number): OrderItem | null => {
  const kind = kinds[smallWordAt(data, at)];
  const token = addressAt(data, at + 1);
  return kind === undefined || token === null ? null : { kind, token, tokenId: wordAt(data, at + 2), amount: wordAt(data, at + 3) };
};

/** The word indexes of the elements, `size` words each, of the array at the offset in word `head`; null if the array exceeds the data. */
const arrayAt = (data: Hex, head: number, size: number): number[] | null => {
  const words = wordCount(data);
  if (words < head + 1) return null;
  const offset = smallWordAt(data, head);
  if (offset < 0 || offset % 32 !== 0) return null;
  const start = offset / 32;
  if (start >= words) return null;
  const length = smallWordAt(data, start);
  if (length < 0 || length * size > words - start - 1) return null;
  return Array.from({ length }, (_, position) => start + 1 + position * size);
};

const hashAt = (data: Hex, at: number): Hash => `0x${data.slice(2 + at * 64, 2 + (at + 1) * 64)}`;

/** All items; null if one of them is malformed. */
const allOrNull = <Item>(items: readonly (Item | null)[] | undefined): Item[] | null => {
  const valid = (items ?? []).filter((item) => item !== null);
  return items === undefined || valid.length < items.length ? null : valid;
};
