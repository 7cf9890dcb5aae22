import { describe, expect, it } from "vitest";
import type { ChainTransaction } from "../../../runtime/chain/types.ts";
import { addressActivityProjection } from "../../../runtime/domains/ledger/projection/activity.ts";
import type { DecodedBlock } from "../../../runtime/events/decoded-block.ts";
import { createState } from "../../../runtime/indexer/state/state.ts";
import type { Address } from "../../../runtime/lib/hex.ts";

const alice: Address = `0x${"a".repeat(40)}`;
const bob: Address = `0x${"b".repeat(40)}`;

const transaction = (from: Address, gasUsed: bigint, price: bigint, overrides: Partial<ChainTransaction> = {}): ChainTransaction => ({
  index: 0,
  hash: `0x${"1".repeat(64)}`,
  from,
  to: bob,
  value: 5n,
  nonce: 0n,
  gasLimit: 100n,
  input: "0x",
  type: 2,
  successful: true,
  gasUsed,
  effectiveGasPrice: price,
  createdContract: null,
  l1Fee: null,
  blobFee: null,
  logs: [],
  traces: [],
  ...overrides,
});

const block = (number: number, transactions: ChainTransaction[]): DecodedBlock => ({
  block: {
    number,
    hash: `0x${"2".repeat(64)}`,
    parentHash: `0x${"3".repeat(64)}`,
    timestamp: number,
    miner: bob,
    extraData: "0x",
    gasUsed: 0n,
    gasLimit: 0n,
    baseFeePerGas: 0n,
    size: 0,
    transactions,
    withdrawals: [],
    balances: null,
  },
  events: [],
});

const chain = { from: 0, baseBlock: 0, nativeAccounting: "traces" as const, wrappedNative: new Set<Address>() };
const baseOutcome = () => {
  throw new Error("Unexpected read from the node");
};
const fold = (blocks: DecodedBlock[], stored: Record<Address, { sent_count: number; fees_paid: string }> = {}) =>
  addressActivityProjection.fold(blocks, { chain, baseOutcome, state: createState({ sums: new Map(Object.entries(stored)) }) })
    .address_fees;

describe("the activity projection", () => {
  it("writes one row of sums per sender and block, continuing from the stored rows", () => {
    const blocks = [
      block(7, [transaction(alice, 10n, 3n), transaction(alice, 1n, 5n, { successful: false }), transaction(bob, 2n, 2n)]),
      block(8, []),
      block(9, [transaction(alice, 4n, 1n)]),
    ];
    expect(fold(blocks, { [alice]: { sent_count: 100, fees_paid: "1000000000000000000000" } })).toEqual([
      // 10 × 3 and 1 × 5: a failed transaction pays as well.
      { address: alice, block_number: 7, sent_count: 102, fees_paid: 10n ** 21n + 35n },
      { address: bob, block_number: 7, sent_count: 1, fees_paid: 4n },
      { address: alice, block_number: 9, sent_count: 103, fees_paid: 10n ** 21n + 39n },
    ]);
  });

  it("adds L1 fees and blob fees", () => {
    expect(fold([block(1, [transaction(alice, 2n, 3n, { l1Fee: 40n, blobFee: 500n })])])).toEqual([
      { address: alice, block_number: 1, sent_count: 1, fees_paid: 546n },
    ]);
  });

  it("loads only the senders' sums", () => {
    expect([...(addressActivityProjection.keysToLoad([block(1, [transaction(alice, 1n, 1n)])], chain).sums?.keys() ?? [])]).toEqual([
      alice,
    ]);
  });
});
