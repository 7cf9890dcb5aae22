import { encodeAbiParameters, encodeEventTopics, parseAbi, parseAbiItem, zeroAddress } from "viem";
import { describe, expect, it } from "vitest";
import type { ChainLog } from "../../../runtime/chain/types.ts";
import { punkAssigned, punkBidEntered, punkBought, punkTransferred } from "../../../runtime/events/punks.ts";
import { orderFulfilled, ordersMatched } from "../../../runtime/events/seaport.ts";
import type { Hash, Hex } from "../../../runtime/lib/hex.ts";

const address = (digit: string): Hex => `0x${digit.repeat(40)}`;
const [market, offerer, zone, buyer, coin, art] = ["1", "2", "3", "4", "5", "6"].map(address) as [Hex, Hex, Hex, Hex, Hex, Hex];
const hash: Hash = `0x${"ab".repeat(32)}`;
const word = (value: bigint | number): string => value.toString(16).padStart(64, "0");
/** The event in Seaport's ABI. */
const [fulfilled] = parseAbi([
  "struct SpentItem { uint8 itemType; address token; uint256 identifier; uint256 amount; }",
  "struct ReceivedItem { uint8 itemType; address token; uint256 identifier; uint256 amount; address recipient; }",
  "event OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, SpentItem[] offer, ReceivedItem[] consideration)",
]);
const topics = encodeEventTopics({ abi: [fulfilled], args: { offerer, zone } }) as Hash[];
const data = encodeAbiParameters(
  fulfilled.inputs.filter((input) => !("indexed" in input && input.indexed)),
  [
    hash,
    buyer,
    [{ itemType: 2, token: art, identifier: 7n, amount: 1n }],
    [
      { itemType: 0, token: zeroAddress, identifier: 0n, amount: 90n, recipient: offerer },
      { itemType: 1, token: coin, identifier: 0n, amount: 10n, recipient: zone },
    ],
  ] as never,
);
const log = (changes: Partial<ChainLog> = {}): ChainLog => ({ index: 5, address: market, topics, data, ...changes });

describe("OrderFulfilled", () => {
  it("is decoded as defined by Seaport's ABI", () => {
    expect(orderFulfilled.topic0).toBe(topics[0]);
    expect(orderFulfilled.decode(log(), 3)).toEqual({
      kind: "orderFulfilled",
      address: market,
      transactionIndex: 3,
      logIndex: 5,
      orderHash: hash,
      offerer,
      recipient: buyer,
      offer: [{ kind: "token", token: art, tokenId: 7n, amount: 1n }],
      consideration: [
        { kind: "payment", token: zeroAddress, tokenId: 0n, amount: 90n, recipient: offerer },
        { kind: "payment", token: coin, tokenId: 0n, amount: 10n, recipient: zone },
      ],
    });
  });

  it("is decoded as null if it is truncated, has an out-of-range word or has the wrong topics", () => {
    const words = (data.length - 2) / 64;
    for (let truncated = 0; truncated < data.length - 2; truncated += 32)
      expect(orderFulfilled.decode(log({ data: data.slice(0, 2 + truncated) as Hex }), 0)).toBeNull();
    const oversized = "f".repeat(64);
    for (let position = 0; position < words; position += 1) {
      for (const value of [oversized, word(2n ** 31n), word(1), word(words * 32), word(words * 32 - 32)]) {
        const changed = `${data.slice(0, 2 + position * 64)}${value}${data.slice(2 + (position + 1) * 64)}` as Hex;
        expect(() => orderFulfilled.decode(log({ data: changed }), 0)).not.toThrow();
      }
    }
    // The recipient, both offsets, both lengths, an item type, the tokens and the items' recipients cannot be that large.
    for (const position of [1, 2, 3, 4, 5, 6, 9, 10, 11, 14, 16, 19]) {
      const changed = `${data.slice(0, 2 + position * 64)}${oversized}${data.slice(2 + (position + 1) * 64)}` as Hex;
      expect(orderFulfilled.decode(log({ data: changed }), 0), String(position)).toBeNull();
    }
    expect(orderFulfilled.decode(log({ topics: topics.slice(0, 2) }), 0)).toBeNull();
    expect(orderFulfilled.decode(log({ topics: [...topics, hash] }), 0)).toBeNull();
    expect(orderFulfilled.decode(log({ topics: [topics[0] as Hash, hash, topics[2] as Hash] }), 0)).toBeNull();
  });
});

describe("OrdersMatched", () => {
  it("is decoded with its order hashes, and as null if it is malformed", () => {
    const [, other] = ["cd", "ef"].map((byte): Hash => `0x${byte.repeat(32)}`) as [Hash, Hash];
    const matched = {
      index: 9,
      address: market,
      topics: [ordersMatched.topic0],
      data: encodeAbiParameters([{ type: "bytes32[]" }], [[hash, other]]),
    };
    expect(ordersMatched.decode(matched, 1)).toMatchObject({ kind: "ordersMatched", logIndex: 9, orderHashes: [hash, other] });
    expect(ordersMatched.decode({ ...matched, data: matched.data.slice(0, -64) as Hex }, 1)).toBeNull();
    expect(ordersMatched.decode({ ...matched, data: "0x" }, 1)).toBeNull();
    expect(ordersMatched.decode({ ...matched, topics: [ordersMatched.topic0, hash] }, 1)).toBeNull();
  });
});

describe("CryptoPunks events", () => {
  it("are decoded as their contract declares them, and as null if they are malformed", () => {
    const cases = [
      [
        punkAssigned,
        "event Assign(address indexed to, uint256 punkIndex)",
        { to: buyer },
        8n,
        { kind: "punkAssigned", to: buyer, tokenId: 8n },
      ],
      [
        punkTransferred,
        "event PunkTransfer(address indexed from, address indexed to, uint256 punkIndex)",
        { from: offerer, to: buyer },
        8n,
        { kind: "punkTransferred", from: offerer, to: buyer, tokenId: 8n },
      ],
      [
        punkBidEntered,
        "event PunkBidEntered(uint256 indexed punkIndex, uint256 value, address indexed fromAddress)",
        { punkIndex: 8n, fromAddress: buyer },
        50n,
        { kind: "punkBidEntered", bidder: buyer, tokenId: 8n, value: 50n },
      ],
      [
        punkBought,
        "event PunkBought(uint256 indexed punkIndex, uint256 value, address indexed fromAddress, address indexed toAddress)",
        { punkIndex: 8n, fromAddress: offerer, toAddress: buyer },
        50n,
        { kind: "punkBought", from: offerer, to: buyer, tokenId: 8n, value: 50n },
      ],
    ] as const;
    for (const [definition, signature, args, value, expected] of cases) {
      const eventTopics = encodeEventTopics({ abi: [parseAbiItem(signature)], args } as never) as Hash[];
      const emitted: ChainLog = { index: 1, address: market, topics: eventTopics, data: `0x${word(value)}` };
      expect(definition.topic0).toBe(eventTopics[0]);
      expect(definition.decode(emitted, 0)).toMatchObject(expected);
      expect(definition.decode({ ...emitted, data: "0x" }, 0)).toBeNull();
      expect(definition.decode({ ...emitted, topics: eventTopics.slice(0, -1) }, 0)).toBeNull();
      expect(definition.decode({ ...emitted, topics: [...eventTopics.slice(0, -1), hash] }, 0)).toBeNull();
    }
  });
});
