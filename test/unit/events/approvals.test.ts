import { toEventSelector } from "viem";
import { describe, expect, it } from "vitest";
import type { ChainBlock, ChainLog } from "../../../runtime/chain/types.ts";
import { approvalForAll, erc20Approval, erc721Approval, legacyErc721Approval } from "../../../runtime/events/approvals.ts";
import { createEventDecoder } from "../../../runtime/events/event-decoder.ts";
import type { Address, Hash, Hex } from "../../../runtime/lib/hex.ts";

const owner: Address = `0x${"1".repeat(40)}`;
const spender: Address = `0x${"2".repeat(40)}`;
const contract: Address = `0x${"3".repeat(40)}`;
const topicOf = (value: string | bigint): Hash =>
  `0x${(typeof value === "bigint" ? value.toString(16) : value.slice(2)).padStart(64, "0")}`;
const words = (...values: (bigint | string)[]): Hex => `0x${values.map((value) => topicOf(value).slice(2)).join("")}`;
const decode = (topics: Hash[], data: Hex) => {
  const log: ChainLog = { index: 4, address: contract, topics, data };
  const block = { transactions: [{ index: 2, logs: [log] }] } as unknown as ChainBlock;
  return createEventDecoder([erc20Approval, erc721Approval, legacyErc721Approval, approvalForAll])(block).events;
};
const logPosition = { address: contract, transactionIndex: 2, logIndex: 4 };
const approval = toEventSelector("event Approval(address,address,uint256)");
const forAll = toEventSelector("event ApprovalForAll(address,address,bool)");
const maxUint256 = 2n ** 256n - 1n;

describe("approvals in logs", () => {
  it("have the topics of their signatures", () => {
    expect([erc20Approval.topic0, erc721Approval.topic0, legacyErc721Approval.topic0]).toEqual([approval, approval, approval]);
    expect(approvalForAll.topic0).toBe(forAll);
  });

  it("are distinguished by their indexed parameters, and decoded up to the largest number", () => {
    expect(decode([approval, topicOf(owner), topicOf(spender)], words(maxUint256))).toEqual([
      { kind: "erc20Approval", ...logPosition, owner, spender, amount: maxUint256 },
    ]);
    expect(decode([approval, topicOf(owner), topicOf(spender), topicOf(maxUint256)], "0x")).toEqual([
      { kind: "erc721Approval", ...logPosition, owner, spender, tokenId: maxUint256 },
    ]);
    expect(decode([approval], words(owner, spender, 7n))).toEqual([
      { kind: "erc721Approval", ...logPosition, owner, spender, tokenId: 7n },
    ]);
    for (const approved of [true, false]) {
      expect(decode([forAll, topicOf(owner), topicOf(spender)], words(approved ? 1n : 0n))).toEqual([
        { kind: "approvalForAll", ...logPosition, owner, operator: spender, approved },
      ]);
    }
  });

  it.each([
    ["an allowance", [approval, topicOf(owner), topicOf(spender)], words(7n)],
    ["an approval of an id", [approval, topicOf(owner), topicOf(spender), topicOf(7n)], "0x"],
    ["an old approval", [approval], words(owner, spender, 7n)],
    ["an approval for all", [forAll, topicOf(owner), topicOf(spender)], words(1n)],
  ] as [string, Hash[], Hex][])("are decoded even if data is appended: %s", (_, topics, data) => {
    const [event] = decode(topics, data);
    expect(event).toBeDefined();
    for (const appended of ["ab", "ab".repeat(33)]) expect(decode(topics, `${data}${appended}`)).toEqual([event]);
  });

  const dirty = topicOf(2n ** 160n + 5n);
  it.each([
    ["an allowance without an amount", [approval, topicOf(owner), topicOf(spender)], "0x"],
    ["an allowance with an owner longer than 20 bytes", [approval, dirty, topicOf(spender)], words(1n)],
    ["an allowance with a spender longer than 20 bytes", [approval, topicOf(owner), dirty], words(1n)],
    ["an approval with one address indexed", [approval, topicOf(owner)], words(spender, 1n)],
    ["an old approval with a missing word", [approval], words(owner, spender)],
    ["an old approval with a spender longer than 20 bytes", [approval], words(owner, dirty, 1n)],
    ["an approval for all that is neither true nor false", [forAll, topicOf(owner), topicOf(spender)], words(2n)],
    ["an approval for all without a word", [forAll, topicOf(owner), topicOf(spender)], "0x"],
    ["an approval for all without indexed parameters", [forAll], words(owner, spender, 1n)],
  ] as [string, Hash[], Hex][])("are not decoded: %s", (_, topics, data) => {
    expect(decode(topics, data)).toEqual([]);
  });
});
