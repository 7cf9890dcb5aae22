import { describe, expect, it } from "vitest";
import type { CallOutcome } from "../../../../runtime/chain/source.ts";
import { wrappedDeposit, wrappedWithdrawal } from "../../../../runtime/events/transfers.ts";
import type { BaseRead } from "../../../../runtime/indexer/projection.ts";
import { type Address, zeroAddress } from "../../../../runtime/lib/hex.ts";
import { alice, batch, bob, carol, data, erc20, erc721, fold, history, log, pick, token, topic, weth, withLogs } from "../token-folds.ts";

describe("token balances", () => {
  it("are updated transfer by transfer, and a balance that a later block changes is stored as a period", () => {
    const rows = fold([
      withLogs(1, erc20(zeroAddress, alice, 100n), erc20(alice, bob, 30n), erc20(bob, carol, 10n)),
      withLogs(2, erc20(alice, bob, 5n)),
    ]);
    expect(pick(rows.transfers, "block_number", "ordinal", "log_index", "amount", "from_balance", "to_balance")).toEqual([
      [1, 0, 0, 100n, null, 100n],
      [1, 1, 1, 30n, 70n, 30n],
      [1, 2, 2, 10n, 20n, 10n],
      [2, 0, 0, 5n, 65n, 25n],
    ]);
    expect(pick(rows.balance_periods, "owner", "from_block", "to_block", "balance")).toEqual([
      [alice, 1, 1, 70n],
      [bob, 1, 1, 20n],
    ]);
    expect(pick(rows.balances, "owner", "since_block", "balance")).toEqual([
      [alice, 2, 65n],
      [bob, 2, 25n],
      [carol, 1, 10n],
    ]);
  });

  it("continue from the stored rows", () => {
    const state = {
      balances: new Map([
        [`${alice}|${token}|1`, { balance: "50", since_block: 4 }],
        [`${bob}|${token}|1`, { balance: null, since_block: 7 }],
      ]),
    };
    const rows = fold([withLogs(9, erc20(alice, bob, 20n))], { state });
    expect(pick(rows.balances, "owner", "balance")).toEqual([
      [alice, 30n],
      [bob, null],
    ]);
    expect(pick(rows.transfers, "from_balance", "to_balance")).toEqual([[30n, null]]);
    // The height 8 is divisible by the highest power of two, both among 4 to 8 and among 7 and 8.
    expect(pick(rows.balance_periods, "owner", "from_block", "to_block", "pivot_block", "balance")).toEqual([
      [alice, 4, 8, 8, 50n],
      [bob, 7, 8, 8, null],
    ]);
  });

  it("end a period at a transfer that changes nothing, to record the last transfer", () => {
    const rows = fold([withLogs(1, erc20(zeroAddress, alice, 7n)), withLogs(4, erc20(alice, bob, 0n))]);
    expect(pick(rows.balance_periods, "owner", "from_block", "to_block", "balance")).toEqual([[alice, 1, 3, 7n]]);
    expect(pick(rows.balances, "owner", "since_block", "balance")).toEqual([
      [alice, 4, 7n],
      [bob, 4, 0n],
    ]);
  });

  it("are unchanged by a self-transfer and by a zero-amount transfer", () => {
    const rows = fold([withLogs(1, erc20(zeroAddress, alice, 7n), erc20(alice, alice, 7n), erc20(alice, bob, 0n))]);
    expect(pick(rows.transfers, "from_address", "to_address", "from_balance", "to_balance").slice(1)).toEqual([
      [alice, alice, 7n, 7n],
      [alice, bob, 7n, 0n],
    ]);
  });

  it("become and stay unknown if events take them below zero or above 256 bits", () => {
    const maxUint256 = 2n ** 256n - 1n;
    const rows = fold([
      withLogs(1, erc20(bob, alice, 5n)),
      withLogs(2, erc20(zeroAddress, bob, 100n), erc20(zeroAddress, alice, maxUint256)),
    ]);
    expect(history(rows)).toEqual([
      [alice, 1, 5n],
      [bob, 1, null],
      [alice, 2, null],
      [bob, 2, null],
    ]);
  });

  it("count an ERC-721 collection's tokens, with each id's owner", () => {
    const rows = fold([withLogs(1, erc721(zeroAddress, alice, 0n), erc721(zeroAddress, alice, 7n), erc721(alice, bob, 7n))]);
    expect(pick(rows.balances, "owner", "standard", "balance")).toEqual([
      [alice, 2, 1n],
      [bob, 2, 1n],
    ]);
    expect(pick(rows.nft_balances, "owner", "token_id", "balance")).toEqual([
      [alice, 0n, 1n],
      [alice, 7n, 0n],
      [bob, 7n, 1n],
    ]);
  });

  it("count the units of an ERC-1155 batch, with one transfer per item and none for an empty batch", () => {
    const rows = fold([
      withLogs(1, batch(zeroAddress, alice, [1n, 2n], [10n, 5n]), batch(alice, bob, [], []), batch(alice, bob, [2n], [5n])),
    ]);
    expect(pick(rows.transfers, "ordinal", "log_index", "token_id", "amount")).toEqual([
      [0, 0, 1n, 10n],
      [1, 0, 2n, 5n],
      [2, 2, 2n, 5n],
    ]);
    expect(pick(rows.balances, "owner", "balance")).toEqual([
      [alice, 10n],
      [bob, 5n],
    ]);
  });

  it("follow a configured wrapped token's Deposit and Withdrawal, but not other contracts'", () => {
    const deposit = (address: Address) => log([wrappedDeposit.topic0, topic(alice)], data(9n), address);
    const withdrawal = log([wrappedWithdrawal.topic0, topic(alice)], data(4n), weth);
    const rows = fold([withLogs(1, deposit(weth), deposit(token), withdrawal)]);
    expect(pick(rows.transfers, "token", "from_address", "to_address", "amount")).toEqual([
      [weth, zeroAddress, alice, 9n],
      [weth, alice, zeroAddress, 4n],
    ]);
    expect(pick(rows.balances, "owner", "token", "balance")).toEqual([[alice, weth, 5n]]);
  });

  it("start from the node's base balance in an index that starts late", () => {
    const base = (read: BaseRead): CallOutcome =>
      "data" in read && read.data.includes(alice.slice(2)) ? { ok: true, data: topic(40n) } : { ok: true, data: "0x" };
    const rows = fold([withLogs(101, erc20(alice, bob, 15n))], { facts: { from: 100, baseBlock: 99 }, base });
    expect(pick(rows.balance_periods, "owner", "from_block", "to_block", "balance")).toEqual([[alice, 99, 100, 40n]]);
    expect(pick(rows.balances, "owner", "since_block", "balance")).toEqual([
      [alice, 101, 25n],
      [bob, 101, 15n],
    ]);
  });

  it("are unknown in an index that starts late if the node has no state", () => {
    const rows = fold([withLogs(101, erc20(alice, bob, 15n), batch(alice, bob, [1n], [1n]))], {
      facts: { from: 100, baseBlock: 99 },
      base: () => ({ ok: false, reverted: false }),
    });
    expect(rows.balances.map(({ balance }) => balance)).toEqual([null, null, null, null]);
    expect(pick(rows.balance_periods, "from_block", "to_block", "balance")).toEqual(Array.from({ length: 4 }, () => [99, 100, null]));
  });

  it("record the net change while the base balance is unknown in an index that starts late, except for ERC-1155 collections", () => {
    const rows = fold([withLogs(101, erc20(alice, bob, 15n), batch(alice, bob, [1n], [4n])), withLogs(103, erc20(bob, alice, 6n))], {
      facts: { from: 100, baseBlock: 99 },
      base: () => ({ ok: false, reverted: false }),
    });
    expect(pick(rows.balance_periods, "owner", "standard", "from_block", "to_block", "balance", "net_change")).toEqual([
      [alice, 1, 99, 100, null, 0n],
      [bob, 1, 99, 100, null, 0n],
      // No call returns an ERC-1155 collection's sum over all ids.
      [alice, 3, 99, 100, null, null],
      [bob, 3, 99, 100, null, null],
      [bob, 1, 101, 102, null, 15n],
      [alice, 1, 101, 102, null, -15n],
    ]);
    expect(pick(rows.balances, "owner", "standard", "balance", "net_change")).toEqual([
      [alice, 1, null, -9n],
      [bob, 1, null, 9n],
      [alice, 3, null, null],
      [bob, 3, null, null],
    ]);
    expect(pick(rows.nft_balances, "owner", "net_change")).toEqual([
      [alice, -4n],
      [bob, 4n],
    ]);
    expect(pick(rows.transfers, "from_balance", "to_balance")).toEqual([
      [null, null],
      [null, null],
      [null, null],
    ]);
  });

  it("continue from a stored net change and from a reconciled balance", () => {
    const state = {
      balances: new Map([
        [`${alice}|${token}|1`, { balance: null, net_change: "-9", since_block: 103 }],
        [`${bob}|${token}|1`, { balance: "30", net_change: null, since_block: 103 }],
      ]),
    };
    const rows = fold([withLogs(105, erc20(alice, bob, 1n))], { state, facts: { from: 100, baseBlock: 99 } });
    expect(pick(rows.balance_periods, "owner", "from_block", "to_block", "balance", "net_change")).toEqual([
      [alice, 103, 104, null, -9n],
      [bob, 103, 104, 30n, null],
    ]);
    expect(pick(rows.balances, "owner", "balance", "net_change")).toEqual([
      [alice, null, -10n],
      [bob, 31n, null],
    ]);
    expect(pick(rows.transfers, "from_balance", "to_balance")).toEqual([[null, 31n]]);
  });

  it("end with each transfer of a node-sourced token, and are unknown afterwards", () => {
    const state = {
      nodeSourced: new Map([[`${token}|1`, {}]]),
      balances: new Map([[`${alice}|${token}|1`, { balance: "50", net_change: null, since_block: 4 }]]),
      totals: new Map([[`${token}|1`, { holders: 1 }]]),
    };
    const rows = fold([withLogs(9, erc20(alice, bob, 20n), erc20(alice, bob, 20n, weth)), withLogs(11, erc20(alice, alice, 0n))], {
      state,
    });
    expect(pick(rows.balance_periods, "owner", "token", "from_block", "to_block", "balance")).toEqual([
      [alice, token, 4, 8, 50n],
      [alice, token, 9, 10, null],
    ]);
    expect(pick(rows.balances, "owner", "token", "since_block", "balance", "net_change")).toEqual([
      [alice, token, 11, null, null],
      [bob, token, 9, null, null],
      // Another token's events take a balance below zero, so it is unknown.
      [alice, weth, 9, null, null],
      [bob, weth, 9, 20n, null],
    ]);
    expect(pick(rows.transfers, "token", "from_balance", "to_balance")).toEqual([
      [token, null, null],
      [weth, null, 20n],
      [token, null, null],
    ]);
    // Its holder count is unknown as well.
    expect(pick(rows.holder_counts, "token", "block_number", "holders")).toEqual([
      [token, 9, null],
      [weth, 9, 1],
    ]);
  });

  it("treat a newly minted id as previously unowned", () => {
    const base = (read: BaseRead): CallOutcome =>
      "data" in read && read.data.startsWith("0x6352211e") ? { ok: false, reverted: true } : { ok: true, data: topic(3n) };
    const rows = fold([withLogs(101, erc721(zeroAddress, alice, 5n))], { facts: { from: 100, baseBlock: 99 }, base });
    expect(pick(rows.nft_balances, "owner", "balance")).toEqual([[alice, 1n]]);
    expect(pick(rows.balances, "owner", "balance")).toEqual([[alice, 4n]]);
  });
});
