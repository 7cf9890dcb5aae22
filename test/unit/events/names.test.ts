import { encodeAbiParameters, type Hex, keccak256, parseAbiItem, stringToBytes, toEventSelector } from "viem";
import { describe, expect, it } from "vitest";
import * as names from "../../../runtime/events/names.ts";
import type { Hash } from "../../../runtime/lib/hex.ts";

const contract = `0x${"cc".repeat(20)}` as const;
const alice = `0x${"aa".repeat(20)}` as const;
const node: Hash = `0x${"11".repeat(32)}`;
const zeroAddress = `0x${"00".repeat(20)}` as const;
const word = (value: number): string => value.toString(16).padStart(64, "0");
const asWord = (address: Hex): Hex => `0x${address.slice(2).padStart(64, "0")}`;
const decode = (definition: (typeof names)[keyof typeof names], topics: readonly Hash[], data: Hex) =>
  definition.decode({ index: 7, address: contract, topics: [definition.topic0, ...topics], data }, 3);
const logPosition = { address: contract, transactionIndex: 3, logIndex: 7 };
const claimOf = (text: Uint8Array | string) =>
  encodeAbiParameters([{ type: "bytes" }], [`0x${Buffer.from(typeof text === "string" ? stringToBytes(text) : text).toString("hex")}`]);

describe("name events", () => {
  it.each([
    ["NewOwner(bytes32 indexed node, bytes32 indexed label, address owner)", names.nameNewOwner],
    ["Transfer(bytes32 indexed node, address owner)", names.nameTransfer],
    ["NewResolver(bytes32 indexed node, address resolver)", names.nameNewResolver],
    ["AddrChanged(bytes32 indexed node, address a)", names.nameAddrChanged],
    ["AddressChanged(bytes32 indexed node, uint256 coinType, bytes newAddress)", names.nameAddressChanged],
    ["NameChanged(bytes32 indexed node, string name)", names.nameNameChanged],
    ["VersionChanged(bytes32 indexed node, uint64 newVersion)", names.nameVersionChanged],
  ])("have the hash of their signature as the first topic: %s", (signature, { topic0 }) => {
    expect(topic0).toBe(toEventSelector(parseAbiItem(`event ${signature}`) as never));
  });

  it("have the subnode's owner and its node, derived from the label hash", () => {
    // EIP-137: namehash("eth") is keccak256(32 zero bytes, keccak256("eth")).
    const event = decode(names.nameNewOwner, [`0x${"00".repeat(32)}`, keccak256(stringToBytes("eth"))], asWord(alice));
    expect(event).toEqual({
      ...logPosition,
      kind: "nameOwner",
      node: "0x93cdeb708b7545dc668eb9280176169d1c33cfd8ed6f04690a0bcc88a93fc4ae",
      owner: alice,
    });
  });

  it("have null for the zero address", () => {
    expect(decode(names.nameNewResolver, [node], asWord(zeroAddress))).toEqual({
      ...logPosition,
      kind: "nameResolver",
      node,
      resolver: null,
    });
    expect(decode(names.nameAddrChanged, [node], asWord(zeroAddress))).toEqual({
      ...logPosition,
      kind: "nameAddress",
      node,
      account: null,
    });
  });

  it("include AddressChanged for ether, and for no other coin type", () => {
    const decodeChange = (coin: bigint, address: Hex) =>
      decode(names.nameAddressChanged, [node], encodeAbiParameters([{ type: "uint256" }, { type: "bytes" }], [coin, address]));
    expect(decodeChange(60n, alice)).toEqual({ ...logPosition, kind: "nameAddress", node, account: alice });
    expect(decodeChange(60n, "0x")).toEqual({ ...logPosition, kind: "nameAddress", node, account: null });
    expect(decodeChange(60n, "0x1234")).toEqual({ ...logPosition, kind: "nameAddress", node, account: null });
    expect(decodeChange(60n, `0x${"ab".repeat(5_000)}`)).toEqual({ ...logPosition, kind: "nameAddress", node, account: null });
    expect(decodeChange(0n, "0x1234")).toBeNull();
  });

  it("have a claimed name, and null for an invalid name", () => {
    const decodeClaim = (data: Hex) => decode(names.nameNameChanged, [node], data);
    const expectedEvent = (name: string | null) => ({ ...logPosition, kind: "nameText", node, name });
    expect(decodeClaim(claimOf("alice.eth"))).toEqual(expectedEvent("alice.eth"));
    expect(decodeClaim(claimOf('a,"b"{c}\\.eth'))).toEqual(expectedEvent('a,"b"{c}\\.eth'));
    expect(decodeClaim(claimOf(""))).toEqual(expectedEvent(null));
    expect(decodeClaim(claimOf("alice\0.eth"))).toEqual(expectedEvent(null));
    expect(decodeClaim(claimOf(Uint8Array.of(0xff, 0xfe)))).toEqual(expectedEvent(null));
    expect(decodeClaim(claimOf("a".repeat(1_020)))).toEqual(expectedEvent("a".repeat(1_020)));
    expect(decodeClaim(claimOf("a".repeat(1_021)))).toEqual(expectedEvent(null));
    expect(decodeClaim(claimOf("a".repeat(1_000_000)))).toEqual(expectedEvent(null));
  });

  it.each([
    ["no data", "0x"],
    ["an offset beyond the data", `0x${word(64)}`],
    ["an oversized offset", `0x${"f".repeat(64)}`],
    ["a length beyond the data", `0x${word(32)}${word(33)}${"61".repeat(32)}`],
    ["an oversized length", `0x${word(32)}${"f".repeat(64)}`],
  ] as const)("are decoded as null with %s", (_, data) => {
    expect(decode(names.nameNameChanged, [node], data)).toBeNull();
  });

  it("are decoded as null with the wrong number of topics or with invalid addresses", () => {
    expect(decode(names.nameTransfer, [], asWord(alice))).toBeNull();
    expect(decode(names.nameTransfer, [node, node], asWord(alice))).toBeNull();
    expect(decode(names.nameNewOwner, [node], asWord(alice))).toBeNull();
    expect(decode(names.nameTransfer, [node], `0x${"f".repeat(64)}`)).toBeNull();
    expect(decode(names.nameTransfer, [node], `${asWord(alice)}00`)).toBeNull();
    expect(decode(names.nameVersionChanged, [node], "0x")).toBeNull();
  });
});
