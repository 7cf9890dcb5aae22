import { describe, expect, it } from "vitest";
import { type Address, nativeTokenAddress } from "../../../../runtime/lib/hex.ts";
import { alice, block, bob, carol, fold, miner, pick, topic, transaction } from "../token-folds.ts";

describe("native balances", () => {
  it("change by fee, value, internal value and tip in this order; the base fee is burned", () => {
    const paying = transaction({
      to: bob,
      value: 1_000n,
      gasUsed: 21_000n,
      effectiveGasPrice: 7n,
      traces: [{ index: 0, type: "call", from: bob, to: carol, value: 400n }],
    });
    const rows = fold([block(1, [paying], { baseFeePerGas: 5n })]);
    const start = 10n ** 18n;
    expect(pick(rows.transfers, "from_address", "to_address", "amount", "from_balance", "to_balance")).toEqual([
      [alice, bob, 1_000n, start - 147_000n - 1_000n, start + 1_000n],
      [bob, carol, 400n, start + 600n, start + 400n],
    ]);
    expect(pick(rows.balances, "owner", "balance")).toEqual([
      [alice, start - 148_000n],
      [bob, start + 600n],
      [carol, start + 400n],
      [miner, start + 42_000n],
    ]);
    // The genesis balance held until the previous block.
    expect(pick(rows.balance_periods, "from_block", "to_block", "balance")).toEqual(Array.from({ length: 4 }, () => [0, 0, start]));
    expect(rows.transfers.every((row) => row.token === nativeTokenAddress && row.standard === 0 && row.log_index === null)).toBe(true);
  });

  it("lose only a failed transaction's fee, including its L1 and blob fees", () => {
    const failing = transaction({ to: bob, value: 5n, successful: false, gasUsed: 100n, effectiveGasPrice: 2n, l1Fee: 30n, blobFee: 4n });
    const rows = fold([block(1, [failing], { baseFeePerGas: 2n })]);
    expect(rows.transfers).toEqual([]);
    expect(pick(rows.balances, "owner", "balance")).toEqual([[alice, 10n ** 18n - 234n]]);
  });

  it("start with the creation's value if a contract is created", () => {
    const rows = fold([block(1, [transaction({ to: null, createdContract: carol, value: 8n })])], {
      base: () => ({ ok: true, data: topic(10n) }),
    });
    expect(pick(rows.transfers, "to_address", "amount", "to_balance")).toEqual([[carol, 8n, 18n]]);
  });

  it("gain withdrawals in gwei, including several for one address in a block, without a transfer", () => {
    const withdrawals = [1, 2].map((index) => ({ index, validatorIndex: index, address: alice, amountGwei: 3n }));
    const rows = fold([block(1, [], { withdrawals })], { base: () => ({ ok: true, data: topic(0n) }) });
    expect(rows.transfers).toEqual([]);
    expect(pick(rows.balances, "owner", "balance")).toEqual([[alice, 6_000_000_000n]]);
  });

  it("lose the value that a contract sends to itself in a self-destruct", () => {
    const burning = transaction({ to: bob, traces: [{ index: 0, type: "selfdestruct", from: bob, to: bob, value: 10n }] });
    const rows = fold([block(1, [burning])], { base: () => ({ ok: true, data: topic(10n) }) });
    expect(pick(rows.balances, "owner", "balance")).toEqual([[bob, 0n]]);
  });

  it("are not stored without native accounting, unlike top-level transfers", () => {
    const rows = fold([block(1, [transaction({ to: bob, value: 5n, gasUsed: 1n, effectiveGasPrice: 1n })])], {
      facts: { nativeAccounting: "none" },
    });
    expect(rows.balances).toEqual([]);
    expect(pick(rows.transfers, "amount", "from_balance", "to_balance")).toEqual([[5n, null, null]]);
  });
});

describe("native balances read from state", () => {
  const facts = { nativeAccounting: "state" } as const;
  const blockWithBalances = (number: number, ...balances: [Address, bigint | null, bigint | null][]) =>
    block(number, [], { balances: balances.map(([address, before, balance]) => ({ address, balanceBefore: before, balance })) });
  const returnsZero = () => ({ ok: true, data: topic(0n) }) as const;
  const periods = (rows: ReturnType<typeof fold>) => pick(rows.balance_periods, "owner", "from_block", "to_block", "balance");
  const current = (rows: ReturnType<typeof fold>) => pick(rows.balances, "owner", "since_block", "balance");

  it("are set from the node, and transfers are listed without balances", () => {
    const sent = transaction({ to: bob, value: 5n, traces: [{ index: 0, type: "call", from: bob, to: carol, value: 2n }] });
    const rows = fold([{ ...block(1, [sent]), balances: [{ address: bob, balanceBefore: 0n, balance: 1_000n }] }], {
      facts,
      base: returnsZero,
    });
    expect(pick(rows.transfers, "from_address", "to_address", "amount", "from_balance", "to_balance")).toEqual([
      [alice, bob, 5n, null, null],
      [bob, carol, 2n, null, null],
    ]);
    expect([periods(rows), current(rows)]).toEqual([[], [[bob, 1, 1_000n]]]);
  });

  it("have no row for an account without any balance, and no new one for an unchanged account", () => {
    const rows = fold(
      [blockWithBalances(1, [alice, 0n, 0n], [bob, 0n, 3n]), blockWithBalances(4, [bob, 3n, 3n]), blockWithBalances(6, [bob, 3n, 4n])],
      {
        facts,
        base: returnsZero,
      },
    );
    expect([periods(rows), current(rows)]).toEqual([[[bob, 1, 5, 3n]], [[bob, 6, 4n]]]);
  });

  it("are unknown between two touches if they differ, including before the first touch", () => {
    const rows = fold([blockWithBalances(5, [alice, 7n, 9n]), blockWithBalances(10, [alice, 30n, 31n])], { facts, base: returnsZero });
    // 0 at the genesis block, 7 right before block 5; 9 after it, and 30 right before block 10.
    expect(periods(rows)).toEqual([
      [alice, 1, 3, null],
      [alice, 4, 4, 7n],
      [alice, 5, 5, 9n],
      [alice, 6, 8, null],
      [alice, 9, 9, 30n],
    ]);
    expect(current(rows)).toEqual([[alice, 10, 31n]]);
  });

  it("include the balance before the first indexed block, even if the touch changes nothing", () => {
    const rows = fold([blockWithBalances(101, [alice, 8n, 8n])], {
      facts: { ...facts, from: 100, baseBlock: 99 },
      base: () => ({ ok: true, data: topic(8n) }),
    });
    expect([periods(rows), current(rows)]).toEqual([[[alice, 99, 100, 8n]], [[alice, 101, 8n]]]);
  });

  it("are unknown while the node has no state", () => {
    const rows = fold(
      [blockWithBalances(3, [alice, null, null]), blockWithBalances(5, [alice, null, null]), blockWithBalances(9, [alice, 6n, 7n])],
      {
        facts,
        base: () => ({ ok: false, reverted: false }),
      },
    );
    expect(periods(rows)).toEqual([
      [alice, 0, 2, null],
      [alice, 3, 7, null],
      [alice, 8, 8, 6n],
    ]);
    expect(current(rows)).toEqual([[alice, 9, 7n]]);
  });
});
