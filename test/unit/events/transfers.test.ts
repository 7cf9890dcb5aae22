import { encodeAbiParameters, parseAbiItem, toEventSelector } from "viem";
import { describe, expect, it } from "vitest";
import type { ChainBlock, ChainLog } from "../../../runtime/chain/types.ts";
import { createEventDecoder } from "../../../runtime/events/event-decoder.ts";
import {
  consecutiveMint,
  erc20Transfer,
  erc721Transfer,
  erc1155TransferBatch,
  erc1155TransferSingle,
  legacyErc721Transfer,
  wrappedDeposit,
  wrappedWithdrawal,
} from "../../../runtime/events/transfers.ts";
import type { Address, Hash, Hex } from "../../../runtime/lib/hex.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";

const from: Address = `0x${"1".repeat(40)}`;
const to: Address = `0x${"2".repeat(40)}`;
const topicOf = (value: string | bigint): Hash =>
  `0x${(typeof value === "bigint" ? value.toString(16) : value.slice(2)).padStart(64, "0")}`;
const words = (...values: (bigint | string)[]): Hex => `0x${values.map((value) => topicOf(value).slice(2)).join("")}`;
const definitions = [
  erc20Transfer,
  erc721Transfer,
  legacyErc721Transfer,
  consecutiveMint,
  erc1155TransferSingle,
  erc1155TransferBatch,
  wrappedDeposit,
  wrappedWithdrawal,
];
const decode = (topics: Hash[], data: Hex) => {
  const log: ChainLog = { index: 4, address: to, topics, data };
  const block = { transactions: [{ index: 2, logs: [log] }] } as unknown as ChainBlock;
  return createEventDecoder(definitions)(block).events;
};

describe("transfer event topics", () => {
  it.each([
    ["event Transfer(address,address,uint256)", erc20Transfer],
    ["event ConsecutiveTransfer(uint256,uint256,address,address)", consecutiveMint],
    ["event TransferSingle(address,address,address,uint256,uint256)", erc1155TransferSingle],
    ["event TransferBatch(address,address,address,uint256[],uint256[])", erc1155TransferBatch],
    ["event Deposit(address,uint256)", wrappedDeposit],
    ["event Withdrawal(address,uint256)", wrappedWithdrawal],
  ])("are the hashes of their signatures: %s", (signature, { topic0 }) => {
    expect(topic0).toBe(toEventSelector(parseAbiItem(signature as "event Transfer(address,address,uint256)")));
  });
});

describe("a ConsecutiveTransfer", () => {
  const zeroAddress: Address = `0x${"0".repeat(40)}`;
  const maxUint256 = 2n ** 256n - 1n;
  const decodeRange = (first: bigint, last: bigint, sender: Address = zeroAddress, receiver: Address = to) =>
    decode([consecutiveMint.topic0, topicOf(first), topicOf(sender), topicOf(receiver)], words(last));

  it("mints a range of at most 5,000 ids", () => {
    const mint = { kind: "consecutiveMint", address: to, transactionIndex: 2, logIndex: 4, to };
    expect(decodeRange(7n, 7n)).toEqual([{ ...mint, fromId: 7n, toId: 7n }]);
    expect(decodeRange(1n, 5_000n)).toEqual([{ ...mint, fromId: 1n, toId: 5_000n }]);
    expect(decodeRange(maxUint256, maxUint256)).toEqual([{ ...mint, fromId: maxUint256, toId: maxUint256 }]);
  });

  it.each([
    ["has too many ids", () => decodeRange(1n, 5_001n)],
    ["has all ids", () => decodeRange(0n, maxUint256)],
    ["ends before it starts", () => decodeRange(2n, 1n)],
    ["is not a mint", () => decodeRange(1n, 2n, from)],
    ["mints to the zero address", () => decodeRange(1n, 2n, zeroAddress, zeroAddress)],
    ["has no end", () => decode([consecutiveMint.topic0, topicOf(1n), topicOf(zeroAddress), topicOf(to)], "0x")],
    ["has fewer topics", () => decode([consecutiveMint.topic0, topicOf(1n), topicOf(zeroAddress)], words(2n))],
  ])("is ignored if it %s", (_, decoded) => {
    expect(decoded()).toEqual([]);
  });
});

describe("a Transfer", () => {
  it("is an ERC-20 event with three topics, an ERC-721 event with four, and an event that predates ERC-721 with one", () => {
    const shared = { address: to, transactionIndex: 2, logIndex: 4, from, to };
    expect(decode([erc20Transfer.topic0, topicOf(from), topicOf(to)], words(5n))).toEqual([
      { kind: "erc20Transfer", ...shared, amount: 5n },
    ]);
    expect(decode([erc20Transfer.topic0, topicOf(from), topicOf(to), topicOf(5n)], "0x")).toEqual([
      { kind: "erc721Transfer", ...shared, tokenId: 5n },
    ]);
    expect(decode([erc20Transfer.topic0], words(from, to, 5n))).toEqual([{ kind: "erc721Transfer", ...shared, tokenId: 5n }]);
  });

  it.each([
    ["no data", [erc20Transfer.topic0, topicOf(from), topicOf(to)], "0x"],
    ["half a word", [erc20Transfer.topic0, topicOf(from), topicOf(to)], "0x00ff"],
    ["two topics", [erc20Transfer.topic0, topicOf(from)], words(to, 5n)],
    ["an address with dirty upper bytes", [erc20Transfer.topic0, topicOf(2n ** 200n), topicOf(to)], words(5n)],
    ["a missing word in the data", [erc20Transfer.topic0], words(from, to)],
    ["an oversized address in the data", [erc20Transfer.topic0], words(2n ** 255n, to, 5n)],
    ["no topics", [], words(5n)],
  ] as [string, Hash[], Hex][])("is not decoded with %s", (_, topics, data) => {
    expect(decode(topics, data)).toEqual([]);
  });
});

describe("data after the declared parameters", () => {
  const appended = (data: Hex) => [`${data}${"ab".repeat(33)}`, `${data}ab`] as Hex[];
  const [transferTopics, erc1155Topics] = [
    [topicOf(from), topicOf(to)],
    [topicOf(to), topicOf(from), topicOf(to)],
  ];

  // viem's decodeEventLog ignores it as well: the ABI specification defines the positions of values, not the data after them.
  it.each([
    ["an ERC-20 Transfer", [erc20Transfer.topic0, ...transferTopics], words(5n)],
    ["an ERC-721 Transfer", [erc20Transfer.topic0, ...transferTopics, topicOf(5n)], "0x"],
    ["a Transfer with nothing indexed", [erc20Transfer.topic0], words(from, to, 5n)],
    ["a ConsecutiveTransfer", [consecutiveMint.topic0, topicOf(1n), topicOf(0n), topicOf(to)], words(3n)],
    ["a TransferSingle", [erc1155TransferSingle.topic0, ...erc1155Topics], words(1n, 2n)],
    ["a TransferBatch", [erc1155TransferBatch.topic0, ...erc1155Topics], words(64n, 128n, 1n, 7n, 1n, 2n)],
    ["a Deposit", [wrappedDeposit.topic0, topicOf(to)], words(5n)],
  ] as [string, Hash[], Hex][])("is ignored in %s", (_, topics, data) => {
    const [event] = decode(topics, data);
    expect(event).toBeDefined();
    for (const longer of appended(data)) expect(decode(topics, longer)).toEqual([event]);
  });
});

describe("a TransferBatch", () => {
  const topics = [erc1155TransferBatch.topic0, topicOf(to), topicOf(from), topicOf(to)];
  const arrays = [{ type: "uint256[]" }, { type: "uint256[]" }] as const;

  it("is decoded as viem encodes it", () => {
    const events = decode(
      topics,
      encodeAbiParameters(arrays, [
        [1n, 2n ** 255n],
        [3n, 4n],
      ]),
    );
    expect(events).toEqual([
      {
        kind: "erc1155Transfer",
        address: to,
        transactionIndex: 2,
        logIndex: 4,
        operator: to,
        from,
        to,
        items: [
          { tokenId: 1n, amount: 3n },
          { tokenId: 2n ** 255n, amount: 4n },
        ],
      },
    ]);
  });

  it("may be empty", () => {
    expect(decode(topics, encodeAbiParameters(arrays, [[], []]))[0]).toMatchObject({ items: [] });
  });

  it.each([
    ["unequal lengths", encodeAbiParameters(arrays, [[1n], [3n, 4n]])],
    ["a length beyond the data", words(64n, 128n, 2n ** 31n, 1n, 1n, 1n)],
    ["an oversized length", words(64n, 128n, 2n ** 255n, 1n, 1n, 1n)],
    ["an offset beyond the data", words(64n, 2n ** 60n, 1n, 1n)],
    ["an offset between words", words(65n, 128n, 1n, 1n, 1n, 1n)],
    ["no data", "0x" as Hex],
    ["one word", words(64n)],
  ])("is not decoded with %s", (_, data) => {
    expect(decode(topics, data)).toEqual([]);
  });
});

describe("random bytes", () => {
  it("decode to an event or null, never to an error, in bounded time", () => {
    let seed = 7;
    const random = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed;
    };
    const start = performance.now();
    for (let attempt = 0; attempt < 20_000; attempt += 1) {
      const definition = definitions[random() % definitions.length] ?? erc20Transfer;
      const topics = [
        definition.topic0,
        ...Array.from({ length: random() % 4 }, () => topicOf(random() % 2 === 0 ? from : BigInt(random()) ** 8n % 2n ** 256n)),
      ];
      const data =
        `0x${Array.from({ length: random() % 8 }, () => topicOf(BigInt(random() % 5) * 32n).slice(2)).join("")}${"f".repeat(random() % 3)}` as Hex;
      expect(decode(topics, data).length).toBeLessThan(2);
    }
    expect(performance.now() - start).toBeLessThan(scaleTimeLimit(5_000));
  });
});
