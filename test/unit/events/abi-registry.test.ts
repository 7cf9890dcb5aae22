import { encodeAbiParameters, encodeEventTopics, getAddress, keccak256, parseAbi, toHex } from "viem";
import { describe, expect, it } from "vitest";
import { AbiFileError, createAbiRegistry } from "../../../runtime/events/abi-registry.ts";
import type { Hash, Hex } from "../../../runtime/lib/hex.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";

const registry = createAbiRegistry();
const address = getAddress(`0x${"ab".repeat(20)}`);
const lowerAddress = address.toLowerCase() as Hex;
const erc20 = parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"]);
const erc721 = parseAbi(["event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)"]);

describe("logs of known events", () => {
  it("are distinguished by their indexed parameters", () => {
    const topics = encodeEventTopics({ abi: erc20, args: { from: lowerAddress, to: lowerAddress } }) as Hash[];
    expect(
      registry.decodeLog({ address: lowerAddress, topics, data: encodeAbiParameters([{ type: "uint256" }], [2n ** 256n - 1n]) }),
    ).toEqual({
      name: "Transfer",
      signature: "Transfer(indexed address from, indexed address to, uint256 value)",
      params: [
        { name: "from", type: "address", indexed: true, decoded: true, value: lowerAddress },
        { name: "to", type: "address", indexed: true, decoded: true, value: lowerAddress },
        { name: "value", type: "uint256", indexed: false, decoded: true, value: (2n ** 256n - 1n).toString() },
      ],
    });
    const nftTopics = encodeEventTopics({ abi: erc721, args: { from: lowerAddress, to: lowerAddress, tokenId: 3n } }) as Hash[];
    expect(registry.decodeLog({ address: lowerAddress, topics: nftTopics, data: "0x" })?.params[2]).toEqual({
      name: "tokenId",
      type: "uint256",
      indexed: true,
      decoded: true,
      value: "3",
    });
  });

  it("have arrays and tuples as JSON text, with lower-case hex and decimal numbers", () => {
    const abi = parseAbi([
      "event OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, (uint8 itemType, address token, uint256 identifier, uint256 amount)[] offer, (uint8 itemType, address token, uint256 identifier, uint256 amount, address recipient)[] consideration)",
    ]);
    const event = abi[0];
    const topics = encodeEventTopics({ abi, args: { offerer: lowerAddress, zone: lowerAddress } }) as Hash[];
    const item = { itemType: 2, token: address, identifier: 2n ** 200n, amount: 1n };
    const data = encodeAbiParameters(
      event.inputs.filter((input) => !("indexed" in input)),
      [toHex(1n, { size: 32 }), address, [item], []],
    );
    const params = registry.decodeLog({ address: lowerAddress, topics, data })?.params;
    expect(JSON.parse(params?.find(({ name }) => name === "offer")?.value ?? "")).toEqual([
      { itemType: "2", token: lowerAddress, identifier: (2n ** 200n).toString(), amount: "1" },
    ]);
    expect(params?.find(({ name }) => name === "consideration")?.value).toBe("[]");
    expect(params?.find(({ name }) => name === "recipient")?.value).toBe(lowerAddress);
  });

  it("have an undecoded hash for an indexed string", () => {
    const hash = keccak256(toHex("avatar"));
    const abi = parseAbi(["event TextChanged(bytes32 indexed node, string indexed indexedKey, string key)"]);
    const topics = encodeEventTopics({ abi, args: { node: hash, indexedKey: "avatar" } }) as Hash[];
    const decoded = registry.decodeLog({ address: lowerAddress, topics, data: encodeAbiParameters([{ type: "string" }], ["avatar"]) });
    expect(decoded?.params[1]).toEqual({ name: "indexedKey", type: "string", indexed: true, decoded: false, value: hash });
    expect(decoded?.params[2]?.value).toBe("avatar");
  });

  it("have signed numbers and booleans as text", () => {
    const abi = parseAbi(["event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt)"]);
    const topics = encodeEventTopics({ abi, args: { current: -5n, roundId: 1n } }) as Hash[];
    const decoded = registry.decodeLog({ address: lowerAddress, topics, data: encodeAbiParameters([{ type: "uint256" }], [9n]) });
    expect(decoded?.params.map(({ value }) => value)).toEqual(["-5", "1", "9"]);
    const approval = parseAbi(["event ApprovalForAll(address indexed owner, address indexed operator, bool approved)"]);
    const approvalTopics = encodeEventTopics({ abi: approval, args: { owner: lowerAddress, operator: lowerAddress } }) as Hash[];
    const decodedApproval = registry.decodeLog({
      address: lowerAddress,
      topics: approvalTopics,
      data: encodeAbiParameters([{ type: "bool" }], [true]),
    });
    expect(decodedApproval?.params[2]?.value).toBe("true");
  });
});

describe("logs that match no known event", () => {
  const [topic0] = encodeEventTopics({ abi: erc20 }) as [Hash];
  const padded = `0x${"0".repeat(24)}${lowerAddress.slice(2)}` as Hash;
  it.each([
    ["an unknown topic", [keccak256("0x01")], "0x"],
    ["no topics", [], "0x"],
    ["too little data", [topic0, padded, padded], "0x00"],
    ["a different number of topics", [topic0, padded], `0x${"0".repeat(64)}`],
  ] as [string, Hash[], Hex][])("are decoded as null for %s", (_, topics, data) => {
    expect(registry.decodeLog({ address: lowerAddress, topics, data })).toBeNull();
  });

  it("are decoded as null in bounded time for invalid lengths and offsets", () => {
    const [batch] = encodeEventTopics({
      abi: parseAbi([
        "event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
      ]),
    }) as [Hash];
    const topics = [batch, padded, padded, padded];
    const word = (value: bigint) => value.toString(16).padStart(64, "0");
    const malformedBodies = [
      word(64n) + word(64n) + word(2n ** 255n),
      word(0n) + word(0n),
      word(2n ** 256n - 32n) + word(2n ** 256n - 1n),
      word(64n) + word(96n) + word(2n ** 30n) + word(2n ** 30n) + "00".repeat(60_000),
      "ff".repeat(65_536),
      "00".repeat(5_000_000),
    ];
    const start = performance.now();
    for (const body of malformedBodies) registry.decodeLog({ address: lowerAddress, topics, data: `0x${body}` });
    expect(registry.decodeLog({ address: lowerAddress, topics, data: `0x${malformedBodies[0]}` })).toBeNull();
    expect(performance.now() - start).toBeLessThan(scaleTimeLimit(1_000));
  });

  it("are not expanded beyond a limit if their type is a nested array", () => {
    const name = "Bomb";
    const customRegistry = createAbiRegistry([
      { name: "bomb.json", json: JSON.stringify([{ type: "event", name, inputs: [{ name: "a", type: "bytes[][]", indexed: false }] }]) },
    ]);
    const topic = keccak256(toHex("Bomb(bytes[][])"));
    const word = (value: number) => value.toString(16).padStart(64, "0");
    // All elements of an outer array point to one inner array, and all of its elements to one long value: `size` bytes expand to their cube.
    const bomb = (size: number): Hex => {
      const count = Math.floor(size / 96);
      const inner = word(count) + word(count * 32).repeat(count) + word(count * 32) + "ab".repeat(count * 32);
      return `0x${word(32) + word(count) + word(count * 32).repeat(count) + inner}`;
    };
    const start = performance.now();
    for (const size of [1_500, 2_000, 50_000]) customRegistry.decodeLog({ address: lowerAddress, topics: [topic], data: bomb(size) });
    expect(performance.now() - start).toBeLessThan(scaleTimeLimit(2_000));
    expect(customRegistry.decodeLog({ address: lowerAddress, topics: [topic], data: bomb(300) })?.params).toHaveLength(1);
    expect(customRegistry.decodeLog({ address: lowerAddress, topics: [topic], data: bomb(50_000) })).toBeNull();
  });
});

describe("the operator's ABI files", () => {
  it("add events to the built-in ones", () => {
    const entry = (name: string) => ({
      type: "event",
      name,
      inputs: [
        { name: "who", type: "address", indexed: true },
        { name: "n", type: "uint8[2]", indexed: false },
      ],
    });
    const customRegistry = createAbiRegistry([
      { name: "my.json", json: JSON.stringify({ abi: [{ type: "function", name: "f" }, entry("Mine")] }) },
    ]);
    const topics = [keccak256(toHex("Mine(address,uint8[2])")), `0x${"0".repeat(24)}${lowerAddress.slice(2)}` as Hash];
    const decoded = customRegistry.decodeLog({
      address: lowerAddress,
      topics,
      data: encodeAbiParameters([{ type: "uint8[2]" }], [[1, 2]]),
    });
    expect(decoded?.signature).toBe("Mine(indexed address who, uint8[2] n)");
    expect(decoded?.params[1]?.value).toBe('["1","2"]');
  });

  it.each([
    ["{", "it is not JSON"],
    ["{}", "it contains no ABI"],
    ['[{"type":"event","name":"X"}]', "one of its events is malformed"],
  ])("are refused if invalid: %s", (json, reason) => {
    expect(() => createAbiRegistry([{ name: "bad.json", json }])).toThrow(AbiFileError);
    expect(() => createAbiRegistry([{ name: "bad.json", json }])).toThrow(`Invalid ABI file bad.json: ${reason}`);
  });
});
