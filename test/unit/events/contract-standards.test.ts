import { describe, expect, it } from "vitest";
import type { CallOutcome } from "../../../runtime/chain/source.ts";
import type { ChainBlock } from "../../../runtime/chain/types.ts";
import {
  type ContractEvidence,
  claimsCollection,
  evidenceOf,
  subjectsOf,
  withStandards,
} from "../../../runtime/events/contract-standards.ts";
import type { DecodedBlock, DecodedEvent } from "../../../runtime/events/decoded-block.ts";
import { type Address, zeroAddress } from "../../../runtime/lib/hex.ts";

const [token, other, alice, bob] = ["1", "2", "3", "4"].map((digit): Address => `0x${digit.repeat(40)}`) as [
  Address,
  Address,
  Address,
  Address,
];
const logPosition = { address: token, transactionIndex: 0, logIndex: 0 };
const idTransfer = (tokenId: bigint, to: Address = bob, address = token): DecodedEvent => ({
  kind: "erc721Transfer",
  ...logPosition,
  address,
  from: alice,
  to,
  tokenId,
});
const amountTransfer = (amount: bigint): DecodedEvent => ({ kind: "erc20Transfer", ...logPosition, from: alice, to: bob, amount });
const approval = (tokenId: bigint): DecodedEvent => ({ kind: "erc721Approval", ...logPosition, owner: alice, spender: bob, tokenId });
const hybridTransfer = (amount: bigint): DecodedEvent => ({ kind: "hybridTransfer", ...logPosition, from: alice, to: bob, amount });
const blockOf = (number: number, ...events: DecodedEvent[]): DecodedBlock => ({ block: { number } as ChainBlock, events });

const word = (value: bigint): CallOutcome => ({ ok: true, data: `0x${value.toString(16).padStart(64, "0")}` });
const reverted: CallOutcome = { ok: false, reverted: true };
const empty: CallOutcome = { ok: true, data: "0x" };
const subject = { address: token, block: 5, value: 7n, hasBothForms: false };

describe("the standard of a contract", () => {
  const coin = { isCoin: true, isCollection: false };
  const collection = { isCoin: false, isCollection: true };
  const both = { isCoin: true, isCollection: true };
  const neither = { isCoin: false, isCollection: false };

  // Results of supportsInterface(EIP-721), allowance, ownerOf, isApprovedForAll, decimals.
  it.each([
    ["an ERC-20 token", [reverted, word(0n), reverted, reverted, word(18n)], coin],
    ["a coin without decimals, which are optional in EIP-20", [reverted, word(0n), reverted, reverted, reverted], coin],
    ["a coin with decimals only", [reverted, reverted, reverted, reverted, word(6n)], coin],
    ["a coin whose fallback returns nothing, like WETH9", [empty, word(0n), empty, empty, word(18n)], coin],
    ["a collection that predates EIP-165", [reverted, reverted, word(BigInt(alice)), reverted, reverted], collection],
    ["a collection with 0 decimals and a burned id", [word(0n), reverted, reverted, word(0n), word(0n)], collection],
    ["a collection that returns 0 as a burned id's owner", [reverted, reverted, word(0n), reverted, reverted], collection],
    ["an ERC-404 contract", [word(0n), word(0n), word(BigInt(alice)), word(0n), word(18n)], both],
    ["a contract that reverts all calls", [reverted, reverted, reverted, reverted, reverted], neither],
    ["a destroyed contract", [empty, empty, empty, empty, empty], neither],
    ["a contract that returns out-of-range values", [word(2n), reverted, word(2n ** 160n), word(2n), word(256n)], neither],
    ["a contract with 0 decimals only", [reverted, reverted, reverted, reverted, word(0n)], neither],
  ] as [string, CallOutcome[], ContractEvidence][])("is derived from the call results of %s", (_, outcomes, expected) => {
    expect(evidenceOf(subject, outcomes.slice(0, 2), outcomes.slice(2))).toEqual(expected);
  });

  it("is a collection if the contract claims EIP-721, and both if a coin claims it", () => {
    expect(claimsCollection([word(1n)])).toBe(true);
    expect(evidenceOf(subject, [word(1n), reverted], [])).toEqual(collection);
    expect(evidenceOf(subject, [word(1n), word(0n)], [])).toEqual(both);
  });

  it("is both if the contract emits both forms of Transfer, regardless of its call results", () => {
    expect(evidenceOf({ ...subject, hasBothForms: true }, [reverted, word(0n)], [reverted, reverted, word(18n)])).toEqual(both);
  });
});

describe("contracts with a standard that is read", () => {
  it("have ambiguous events, and are returned with their first block and the last id received in it", () => {
    const subjects = subjectsOf([
      blockOf(4, amountTransfer(5n)),
      blockOf(5, idTransfer(1n), idTransfer(2n), idTransfer(3n, zeroAddress), idTransfer(9n, bob, other)),
      blockOf(6, idTransfer(4n)),
    ]);
    expect([...subjects.values()]).toEqual([
      { address: token, block: 5, value: 2n, hasBothForms: false },
      { address: other, block: 5, value: 9n, hasBothForms: false },
    ]);
    expect(subjectsOf([blockOf(5, approval(3n))]).get(token)).toEqual({ address: token, block: 5, value: 3n, hasBothForms: false });
    expect(subjectsOf([blockOf(5, idTransfer(3n), amountTransfer(1n))]).get(token)?.hasBothForms).toBe(true);
    // The other form of Approval does not count as a second form of Transfer.
    expect(subjectsOf([blockOf(5, approval(3n), amountTransfer(1n))]).get(token)?.hasBothForms).toBe(false);
    expect(subjectsOf([blockOf(5, amountTransfer(1n))]).size).toBe(0);
  });
});

describe("events with ambiguous topics", () => {
  const read = (event: DecodedEvent, evidence: ContractEvidence | undefined) =>
    withStandards([blockOf(5, event)], () => evidence)[0]?.events;

  it("are decoded by their contract's standard", () => {
    const coin = { isCoin: true, isCollection: false };
    expect(read(idTransfer(5n), coin)).toEqual([amountTransfer(5n)]);
    expect(read(approval(5n), coin)).toEqual([{ kind: "erc20Approval", ...logPosition, owner: alice, spender: bob, amount: 5n }]);
    const both = { isCoin: true, isCollection: true };
    expect(read(idTransfer(5n), both)).toEqual([{ ...idTransfer(5n), isHybrid: true }]);
    expect(read(approval(5n), both)).toEqual([approval(5n)]);
    expect(read(hybridTransfer(5n), both)).toEqual([amountTransfer(5n)]);
  });

  it.each([{ isCoin: false, isCollection: true }, { isCoin: false, isCollection: false }, undefined])(
    "are decoded by their form if the contract is not a coin: %j",
    (evidence) => {
      expect(read(idTransfer(5n), evidence)).toEqual([idTransfer(5n)]);
      expect(read(approval(5n), evidence)).toEqual([approval(5n)]);
      expect(read(hybridTransfer(5n), evidence)).toEqual([]);
    },
  );

  it("are the same objects in blocks without newly read contracts", () => {
    const block = blockOf(5, idTransfer(5n), amountTransfer(1n));
    expect(withStandards([block], () => undefined)[0]).toBe(block);
  });
});
