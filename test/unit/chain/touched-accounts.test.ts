import { describe, expect, it } from "vitest";
import { type StateAt, withBalances } from "../../../runtime/chain/account-balances.ts";
import { InvalidResponseError } from "../../../runtime/chain/errors.ts";
import { touchedAccounts } from "../../../runtime/chain/touched-accounts.ts";
import type { ChainBlock, ChainTransaction } from "../../../runtime/chain/types.ts";
import type { Address, Hash } from "../../../runtime/lib/hex.ts";

const account = (digit: string): Address => `0x${digit.repeat(40)}`;
const hashOf = (number: number, branch = 0): Hash => `0x${branch}${number.toString(16).padStart(63, "0")}`;

const transaction = (overrides: Partial<ChainTransaction> = {}): ChainTransaction => ({
  index: 0,
  hash: hashOf(0, 9),
  from: account("a"),
  to: account("b"),
  value: 0n,
  nonce: 0n,
  gasLimit: 1n,
  input: "0x",
  type: 2,
  successful: true,
  gasUsed: 0n,
  effectiveGasPrice: 0n,
  createdContract: null,
  l1Fee: null,
  blobFee: null,
  logs: [],
  traces: null,
  ...overrides,
});
const block = (number: number, transactions: ChainTransaction[] = [], overrides: Partial<ChainBlock> = {}): ChainBlock => ({
  number,
  hash: hashOf(number),
  parentHash: hashOf(number - 1),
  timestamp: number,
  miner: account("d"),
  extraData: "0x",
  gasUsed: 0n,
  gasLimit: 0n,
  baseFeePerGas: null,
  size: 1,
  transactions,
  withdrawals: [],
  balances: null,
  ...overrides,
});

describe("a block's touched accounts", () => {
  it("are its senders, recipients and other participants, each once", () => {
    const traces = [{ index: 0, type: "call", from: account("b"), to: account("4"), value: 1n }] as const;
    const touched = touchedAccounts(
      block(7, [transaction({ traces }), transaction({ to: null, createdContract: account("c") })], {
        withdrawals: [{ index: 0, validatorIndex: 0, address: account("5"), amountGwei: 1n }],
      }),
      [account("6"), account("a")],
    );
    expect(touched.sort()).toEqual([..."456abcd"].map(account));
  });

  it("include those that emit a log or appear in a topic, but not the numbers and hashes in topics", () => {
    const addressTopic = `0x${"0".repeat(24)}${"1".repeat(40)}` as const;
    // A vanity address with seven leading zero bytes, and 2^96 - 1, a number that fits in twelve bytes.
    const vanityAddressTopic = `0x${"0".repeat(24)}${"0".repeat(14)}${"2".repeat(26)}` as const;
    const number = `0x${"0".repeat(40)}${"f".repeat(24)}` as const;
    const log = { index: 0, address: account("e"), topics: [hashOf(1, 8), addressTopic, vanityAddressTopic, number], data: "0x" } as const;
    const touched = touchedAccounts(block(7, [transaction({ logs: [log] })]));
    expect(touched.sort()).toEqual([`0x${"0".repeat(14)}${"2".repeat(26)}`, ..."1abde".split("").map(account)].sort());
  });
});

/** A node that returns the given balances and block hashes, and records the requested states. */
const nodeOf = (balanceAt: (address: Address, at: StateAt) => bigint | null, hashes = hashOf) => {
  const requested: string[] = [];
  return {
    requested,
    balances: async (reads: readonly { address: Address; at: StateAt }[]) =>
      reads.map(({ address, at }) => {
        requested.push(`${address.slice(2, 3)}${at.height}`);
        return balanceAt(address, at);
      }),
    hashesOf: async (heights: readonly number[]) => heights.map((height) => hashes(height)),
    readsByHash: true,
    hasArchiveState: true,
  };
};

describe("the balances of touched accounts", () => {
  it("are read right before and right after each block, each state once", async () => {
    const node = nodeOf((_, { height }) => BigInt(height * 10));
    const returned = await withBalances(node, [block(7, [transaction()]), block(8, [transaction({ to: account("c") })])]);
    expect(
      returned.map(({ balances }) => balances?.map(({ address, balanceBefore, balance }) => [address.slice(2, 3), balanceBefore, balance])),
    ).toEqual([
      [
        ["d", 60n, 70n],
        ["a", 60n, 70n],
        ["b", 60n, 70n],
      ],
      [
        ["d", 70n, 80n],
        ["a", 70n, 80n],
        ["c", 70n, 80n],
      ],
    ]);
    expect(node.requested.sort()).toEqual(["a6", "a7", "a8", "b6", "b7", "c7", "c8", "d6", "d7", "d8"]);
  });

  it("exclude the genesis block", async () => {
    expect(
      (
        await withBalances(
          nodeOf(() => 1n),
          [block(0)],
        )
      )[0]?.balances,
    ).toEqual([]);
  });

  it("are unknown if the node lacks the state, which one request per block determines", async () => {
    const node = { ...nodeOf((_, { height }) => (height < 8 ? null : 5n)), hasArchiveState: false };
    const returned = await withBalances(node, [block(7, [transaction()]), block(8, [transaction()])]);
    expect(returned.map(({ balances }) => balances?.map(({ balanceBefore, balance }) => [balanceBefore, balance]))).toEqual([
      [
        [null, null],
        [null, null],
        [null, null],
      ],
      [
        [null, 5n],
        [null, 5n],
        [null, 5n],
      ],
    ]);
    // One request per block, for the states at 6 and 7.
    expect(node.requested.filter((read) => !read.endsWith("8"))).toHaveLength(2);
  });

  it("are rejected when the node has left the branch and has no state by hash", async () => {
    const node = {
      ...nodeOf(
        () => 1n,
        (height) => hashOf(height, height > 7 ? 1 : 0),
      ),
      readsByHash: false,
    };
    await expect(withBalances(node, [block(7), block(8)])).rejects.toThrow(InvalidResponseError);
    await expect(withBalances(node, [block(6), block(7)])).resolves.toHaveLength(2);
  });
});
