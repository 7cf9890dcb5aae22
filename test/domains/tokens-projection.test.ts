import { describe, expect, it } from "vitest";
import type { CallOutcome } from "../../runtime/chain/source.ts";
import type { ChainBlock, ChainLog, ChainTransaction } from "../../runtime/chain/types.ts";
import { tokensProjection } from "../../runtime/domains/tokens/projection.ts";
import { createEventDecoder } from "../../runtime/events/decode-events.ts";
import { erc20Transfer, erc721Transfer, erc1155TransferBatch, wrappedDeposit, wrappedWithdrawal } from "../../runtime/events/transfers.ts";
import { type BaseRead, baseReadKey, type ChainFacts, type Row } from "../../runtime/indexer/projection.ts";
import { createState } from "../../runtime/indexer/state.ts";
import { type Address, type Hash, type Hex, nativeTokenAddress, zeroAddress } from "../../runtime/lib/hex.ts";

const account = (digit: string): Address => `0x${digit.repeat(40)}`;
const [alice, bob, carol, miner, token, weth] = ["a", "b", "c", "d", "e", "f"].map(account) as [
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
];
const word = (value: bigint | number | Address): string =>
  (typeof value === "string" ? value.slice(2) : value.toString(16)).padStart(64, "0");
const topic = (value: bigint | number | Address): Hash => `0x${word(value)}`;
const data = (...words: (bigint | number)[]): Hex => `0x${words.map(word).join("")}`;
const log = (topics: Hash[], body: Hex = "0x", address: Address = token): ChainLog => ({ index: 0, address, topics, data: body });
const erc20 = (from: Address, to: Address, amount: bigint, address = token) =>
  log([erc20Transfer.topic0, topic(from), topic(to)], data(amount), address);
const erc721 = (from: Address, to: Address, id: bigint) => log([erc721Transfer.topic0, topic(from), topic(to), topic(id)]);
const batch = (from: Address, to: Address, ids: bigint[], amounts: bigint[]) =>
  log(
    [erc1155TransferBatch.topic0, topic(alice), topic(from), topic(to)],
    data(64, 64 + 32 * (ids.length + 1), ids.length, ...ids, amounts.length, ...amounts),
  );

const transaction = (overrides: Partial<ChainTransaction> = {}): ChainTransaction => ({
  index: 0,
  hash: topic(1),
  from: alice,
  to: token,
  value: 0n,
  nonce: 0,
  gasLimit: 100n,
  input: "0x01",
  type: 2,
  successful: true,
  gasUsed: 0n,
  effectiveGasPrice: 0n,
  createdContract: null,
  l1Fee: null,
  blobFee: null,
  logs: [],
  traces: [],
  ...overrides,
});

/** A block of transactions; indices of transactions and logs are given here. */
const block = (number: number, transactions: ChainTransaction[], overrides: Partial<ChainBlock> = {}): ChainBlock => {
  let logIndex = 0;
  return {
    number,
    hash: topic(number),
    parentHash: topic(number - 1),
    timestamp: 1_000 + number,
    miner,
    extraData: "0x",
    gasUsed: 0n,
    gasLimit: 30n,
    baseFeePerGas: 0n,
    size: 1,
    transactions: transactions.map((entry, index) => ({
      ...entry,
      index,
      logs: entry.logs.map((item) => ({ ...item, index: logIndex++ })),
    })),
    withdrawals: [],
    balances: null,
    ...overrides,
  };
};
const withLogs = (number: number, ...logs: ChainLog[]) => block(number, [transaction({ logs })]);

interface Given {
  readonly facts?: Partial<ChainFacts>;
  /** The node's word, by owner for native balances, else by call. */
  readonly base?: (read: BaseRead) => CallOutcome;
  readonly state?: Record<string, Map<string, Row>>;
}
const hasEther: NonNullable<Given["base"]> = () => ({ ok: true, data: topic(10n ** 18n) });
const fold = (blocks: ChainBlock[], { facts, base = hasEther, state = {} }: Given = {}) => {
  const chain: ChainFacts = { from: 0, baseBlock: 0, nativeAccounting: "traces", wrappedNative: new Set([weth]), ...facts };
  const decoded = blocks.map(createEventDecoder(tokensProjection.events));
  const loaded = createState(state);
  const asked = new Set((tokensProjection.reads?.(decoded, loaded, chain) ?? []).map(baseReadKey));
  const rows = tokensProjection.fold(decoded, {
    chain,
    state: loaded,
    base: (read) => {
      if (!asked.has(baseReadKey(read))) throw new Error(`${baseReadKey(read)} was not declared`);
      return base(read);
    },
  });
  return rows as Record<
    | "transfers"
    | "balances"
    | "balance_periods"
    | "nft_balances"
    | "nft_balance_periods"
    | "holder_counts"
    | "token_standards"
    | "transfer_transactions"
    | "node_reads",
    Row[]
  >;
};
const pick = (rows: readonly Row[], ...columns: string[]) => rows.map((row) => columns.map((column) => row[column]));

/** What each owner had from which block on, by block and owner. */
const history = (rows: ReturnType<typeof fold>) =>
  [...pick(rows.balance_periods, "owner", "from_block", "balance"), ...pick(rows.balances, "owner", "since_block", "balance")].sort(
    ([leftOwner, left], [rightOwner, right]) => Number(left) - Number(right) || (String(leftOwner) < String(rightOwner) ? -1 : 1),
  );

describe("token balances", () => {
  it("run through a block transfer by transfer, and what a block ends is a period", () => {
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

  it("go on from what is stored", () => {
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
    // Of 4 to 8, 8 is divisible by the highest power of two; of 7 and 8 as well.
    expect(pick(rows.balance_periods, "owner", "from_block", "to_block", "pivot_block", "balance")).toEqual([
      [alice, 4, 8, 8, 50n],
      [bob, 7, 8, 8, null],
    ]);
  });

  it("end a period with a transfer that changes nothing, so that the last transfer is known", () => {
    const rows = fold([withLogs(1, erc20(zeroAddress, alice, 7n)), withLogs(4, erc20(alice, bob, 0n))]);
    expect(pick(rows.balance_periods, "owner", "from_block", "to_block", "balance")).toEqual([[alice, 1, 3, 7n]]);
    expect(pick(rows.balances, "owner", "since_block", "balance")).toEqual([
      [alice, 4, 7n],
      [bob, 4, 0n],
    ]);
  });

  it("take a transfer to oneself and a transfer of nothing as transfers that change nothing", () => {
    const rows = fold([withLogs(1, erc20(zeroAddress, alice, 7n), erc20(alice, alice, 7n), erc20(alice, bob, 0n))]);
    expect(pick(rows.transfers, "from_address", "to_address", "from_balance", "to_balance").slice(1)).toEqual([
      [alice, alice, 7n, 7n],
      [alice, bob, 7n, 0n],
    ]);
  });

  it("become unknown, and stay so, where events take them below zero or above a word", () => {
    const most = 2n ** 256n - 1n;
    const rows = fold([withLogs(1, erc20(bob, alice, 5n)), withLogs(2, erc20(zeroAddress, bob, 100n), erc20(zeroAddress, alice, most))]);
    expect(history(rows)).toEqual([
      [alice, 1, 5n],
      [bob, 1, null],
      [alice, 2, null],
      [bob, 2, null],
    ]);
  });

  it("of an ERC-721 collection count its tokens, and say of each id who has it", () => {
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

  it("of an ERC-1155 batch count units, one transfer an item and none for an empty batch", () => {
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

  it("follow Deposit and Withdrawal of a configured wrapped token, and of no other contract", () => {
    const deposit = (address: Address) => log([wrappedDeposit.topic0, topic(alice)], data(9n), address);
    const withdrawal = log([wrappedWithdrawal.topic0, topic(alice)], data(4n), weth);
    const rows = fold([withLogs(1, deposit(weth), deposit(token), withdrawal)]);
    expect(pick(rows.transfers, "token", "from_address", "to_address", "amount")).toEqual([
      [weth, zeroAddress, alice, 9n],
      [weth, alice, zeroAddress, 4n],
    ]);
    expect(pick(rows.balances, "owner", "token", "balance")).toEqual([[alice, weth, 5n]]);
  });

  it("of a late start begin with the node's word, from the block before the first on", () => {
    const base = (read: BaseRead): CallOutcome =>
      "data" in read && read.data.includes(alice.slice(2)) ? { ok: true, data: topic(40n) } : { ok: true, data: "0x" };
    const rows = fold([withLogs(101, erc20(alice, bob, 15n))], { facts: { from: 100, baseBlock: 99 }, base });
    expect(pick(rows.balance_periods, "owner", "from_block", "to_block", "balance")).toEqual([[alice, 99, 100, 40n]]);
    expect(pick(rows.balances, "owner", "since_block", "balance")).toEqual([
      [alice, 101, 25n],
      [bob, 101, 15n],
    ]);
  });

  it("of a late start are unknown where the node does not know", () => {
    const rows = fold([withLogs(101, erc20(alice, bob, 15n), batch(alice, bob, [1n], [1n]))], {
      facts: { from: 100, baseBlock: 99 },
      base: () => ({ ok: false, reverted: false }),
    });
    expect(rows.balances.map(({ balance }) => balance)).toEqual([null, null, null, null]);
    expect(pick(rows.balance_periods, "from_block", "to_block", "balance")).toEqual(Array.from({ length: 4 }, () => [99, 100, null]));
  });

  it("of a late start keep what moved while what was before is not known, save of what no call tells", () => {
    const rows = fold([withLogs(101, erc20(alice, bob, 15n), batch(alice, bob, [1n], [4n])), withLogs(103, erc20(bob, alice, 6n))], {
      facts: { from: 100, baseBlock: 99 },
      base: () => ({ ok: false, reverted: false }),
    });
    expect(pick(rows.balance_periods, "owner", "standard", "from_block", "to_block", "balance", "net_change")).toEqual([
      [alice, 1, 99, 100, null, 0n],
      [bob, 1, 99, 100, null, 0n],
      // The number of units of all ids of an ERC-1155 collection.
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

  it("go on from a stored movement, and from a settled balance", () => {
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

  it("of a token whose events do not tell them end with each transfer, and nothing is known of what begins", () => {
    const state = {
      nodeSourced: new Map([[`${token}|1`, {}]]),
      balances: new Map([[`${alice}|${token}|1`, { balance: "50", net_change: null, since_block: 4 }]]),
      totals: new Map([[`${token}|1`, { holders: 1, supply: null }]]),
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
      // Another token's events go below zero: that alone says that they lie.
      [alice, weth, 9, null, null],
      [bob, weth, 9, 20n, null],
    ]);
    expect(pick(rows.transfers, "token", "from_balance", "to_balance")).toEqual([
      [token, null, null],
      [weth, null, 20n],
      [token, null, null],
    ]);
    // How many hold it is for the node to say as well.
    expect(pick(rows.holder_counts, "token", "block_number", "holders", "supply")).toEqual([
      [token, 9, null, null],
      [weth, 9, 1, null],
    ]);
  });

  it("know that an id which nobody owned yet was nobody's", () => {
    const base = (read: BaseRead): CallOutcome =>
      "data" in read && read.data.startsWith("0x6352211e") ? { ok: false, reverted: true } : { ok: true, data: topic(3n) };
    const rows = fold([withLogs(101, erc721(zeroAddress, alice, 5n))], { facts: { from: 100, baseBlock: 99 }, base });
    expect(pick(rows.nft_balances, "owner", "balance")).toEqual([[alice, 1n]]);
    expect(pick(rows.balances, "owner", "balance")).toEqual([[alice, 4n]]);
  });
});

describe("native balances", () => {
  it("pay fee, value, inner value and tip in this order; the base fee is burnt", () => {
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
    // What the genesis block gave held until the block before.
    expect(pick(rows.balance_periods, "from_block", "to_block", "balance")).toEqual(Array.from({ length: 4 }, () => [0, 0, start]));
    expect(rows.transfers.every((row) => row.token === nativeTokenAddress && row.standard === 0 && row.log_index === null)).toBe(true);
  });

  it("of a failed transaction lose the fee alone, that of data and blobs included", () => {
    const failing = transaction({ to: bob, value: 5n, successful: false, gasUsed: 100n, effectiveGasPrice: 2n, l1Fee: 30n, blobFee: 4n });
    const rows = fold([block(1, [failing], { baseFeePerGas: 2n })]);
    expect(rows.transfers).toEqual([]);
    expect(pick(rows.balances, "owner", "balance")).toEqual([[alice, 10n ** 18n - 234n]]);
  });

  it("of a created contract begin with what came along", () => {
    const rows = fold([block(1, [transaction({ to: null, createdContract: carol, value: 8n })])], {
      base: () => ({ ok: true, data: topic(10n) }),
    });
    expect(pick(rows.transfers, "to_address", "amount", "to_balance")).toEqual([[carol, 8n, 18n]]);
  });

  it("gain withdrawals in gwei, several for one address in a block, without a transfer", () => {
    const withdrawals = [1, 2].map((index) => ({ index, validatorIndex: index, address: alice, amountGwei: 3n }));
    const rows = fold([block(1, [], { withdrawals })], { base: () => ({ ok: true, data: topic(0n) }) });
    expect(rows.transfers).toEqual([]);
    expect(pick(rows.balances, "owner", "balance")).toEqual([[alice, 6_000_000_000n]]);
  });

  it("lose what a contract leaves to itself when it destroys itself", () => {
    const burning = transaction({ to: bob, traces: [{ index: 0, type: "selfdestruct", from: bob, to: bob, value: 10n }] });
    const rows = fold([block(1, [burning])], { base: () => ({ ok: true, data: topic(10n) }) });
    expect(pick(rows.balances, "owner", "balance")).toEqual([[bob, 0n]]);
  });

  it("are not kept without native accounting; the transactions' own transfers are", () => {
    const rows = fold([block(1, [transaction({ to: bob, value: 5n, gasUsed: 1n, effectiveGasPrice: 1n })])], {
      facts: { nativeAccounting: "none" },
    });
    expect(rows.balances).toEqual([]);
    expect(pick(rows.transfers, "amount", "from_balance", "to_balance")).toEqual([[5n, null, null]]);
  });
});

describe("the totals of a token", () => {
  const totals = (rows: ReturnType<typeof fold>) => pick(rows.holder_counts, "token", "standard", "block_number", "holders", "supply");

  it("have a row at each block that changed how many hold it or how much there is", () => {
    const rows = fold([
      withLogs(1, erc20(zeroAddress, alice, 100n)),
      withLogs(2, erc20(alice, bob, 30n)),
      withLogs(3, erc20(alice, bob, 5n), erc20(alice, carol, 0n)),
      withLogs(4, erc20(alice, carol, 65n)),
      withLogs(5, erc20(bob, zeroAddress, 35n), erc20(zeroAddress, alice, 1n)),
    ]);
    // Block 3 moves without making a holder; in block 4 carol takes alice's place; in block 5 alice takes bob's, and 100 - 35 + 1 are left.
    expect(totals(rows)).toEqual([
      [token, 1, 1, 1, 100n],
      [token, 1, 2, 2, 100n],
      [token, 1, 5, 2, 66n],
    ]);
  });

  it("go on from what is stored, each standard of a contract by itself", () => {
    const state = {
      totals: new Map([[`${token}|1`, { holders: 7, supply: "900" }]]),
      balances: new Map([[`${bob}|${token}|1`, { balance: "5", since_block: 2 }]]),
    };
    const rows = fold([withLogs(9, erc20(bob, zeroAddress, 5n), erc721(zeroAddress, alice, 1n))], { state });
    expect(totals(rows)).toEqual([
      [token, 1, 9, 6, 895n],
      [token, 2, 9, 1, 1n],
    ]);
  });

  it("do not say how much there is where events lie or began before the index", () => {
    const lying = fold([withLogs(1, erc20(zeroAddress, alice, 9n)), withLogs(2, erc20(bob, alice, 1n))]);
    expect(totals(lying)).toEqual([
      [token, 1, 1, 1, 9n],
      [token, 1, 2, 1, null],
    ]);
    const late = fold([withLogs(101, erc20(zeroAddress, alice, 9n))], { facts: { from: 100, baseBlock: 99 } });
    expect(totals(late)).toEqual([[token, 1, 101, 1, null]]);
  });
});

describe("the order and the lists of transfers", () => {
  it("is by transaction, in it native before inner before events", () => {
    const first = transaction({
      to: bob,
      value: 1n,
      logs: [erc20(zeroAddress, alice, 2n)],
      traces: [{ index: 3, type: "call", from: bob, to: carol, value: 1n }],
    });
    const second = transaction({ from: bob, to: carol, value: 3n, logs: [erc20(alice, bob, 1n)] });
    const rows = fold([block(1, [first, second])]);
    expect(pick(rows.transfers, "ordinal", "transaction_index", "standard", "amount")).toEqual([
      [0, 0, 0, 1n],
      [1, 0, 0, 1n],
      [2, 0, 1, 2n],
      [3, 1, 0, 3n],
      [4, 1, 1, 1n],
    ]);
  });

  it("lists a transaction once an address, numbered on from what is stored, ERC-20 transfers only", () => {
    const state = { ordinals: new Map([[alice, { ordinal: 41 }]]) };
    const rows = fold(
      [block(1, [transaction({ logs: [erc20(alice, bob, 1n), erc20(bob, alice, 1n)] }), transaction({ logs: [erc721(alice, bob, 1n)] })])],
      { state },
    );
    expect(pick(rows.transfer_transactions, "address", "ordinal", "transaction_index")).toEqual([
      [alice, 42, 0],
      [bob, 0, 0],
    ]);
  });

  it("enters each standard of a contract once, and reads its metadata once", () => {
    const state = { standards: new Map([[`${weth}|1`, {}]]), metadata: new Map([[weth, {}]]) };
    const rows = fold([withLogs(3, erc20(alice, bob, 0n), erc721(alice, bob, 1n), erc20(alice, bob, 0n), erc20(alice, bob, 0n, weth))], {
      state,
    });
    expect(pick(rows.token_standards, "address", "standard", "block_number")).toEqual([
      [token, 1, 3],
      [token, 2, 3],
    ]);
    expect(pick(rows.node_reads, "kind", "key", "block_number")).toEqual([["token-metadata", token, 3]]);
  });
});

describe("native balances that the node tells", () => {
  const facts = { nativeAccounting: "state" } as const;
  const told = (number: number, ...balances: [Address, bigint | null, bigint | null][]) =>
    block(number, [], { balances: balances.map(([address, before, balance]) => ({ address, before, balance })) });
  const nothing = () => ({ ok: true, data: topic(0n) }) as const;
  const periods = (rows: ReturnType<typeof fold>) => pick(rows.balance_periods, "owner", "from_block", "to_block", "balance");
  const current = (rows: ReturnType<typeof fold>) => pick(rows.balances, "owner", "since_block", "balance");

  it("are set and not moved, and the transfers are listed without balances", () => {
    const sent = transaction({ to: bob, value: 5n, traces: [{ index: 0, type: "call", from: bob, to: carol, value: 2n }] });
    const rows = fold([{ ...block(1, [sent]), balances: [{ address: bob, before: 0n, balance: 1_000n }] }], { facts, base: nothing });
    expect(pick(rows.transfers, "from_address", "to_address", "amount", "from_balance", "to_balance")).toEqual([
      [alice, bob, 5n, null, null],
      [bob, carol, 2n, null, null],
    ]);
    expect([periods(rows), current(rows)]).toEqual([[], [[bob, 1, 1_000n]]]);
  });

  it("have no row of an account that never had anything, and no new one of an account that did not change", () => {
    const rows = fold([told(1, [alice, 0n, 0n], [bob, 0n, 3n]), told(4, [bob, 3n, 3n]), told(6, [bob, 3n, 4n])], { facts, base: nothing });
    expect([periods(rows), current(rows)]).toEqual([[[bob, 1, 5, 3n]], [[bob, 6, 4n]]]);
  });

  it("are unknown between a touch and a change that nobody saw, before the first touch as well", () => {
    const rows = fold([told(5, [alice, 7n, 9n]), told(10, [alice, 30n, 31n])], { facts, base: nothing });
    // Nothing at the genesis block, 7 right before block 5; 9 after it, and 30 right before block 10.
    expect(periods(rows)).toEqual([
      [alice, 1, 3, null],
      [alice, 4, 4, 7n],
      [alice, 5, 5, 9n],
      [alice, 6, 8, null],
      [alice, 9, 9, 30n],
    ]);
    expect(current(rows)).toEqual([[alice, 10, 31n]]);
  });

  it("keep what an account had before the index, even where the touch changes nothing", () => {
    const rows = fold([told(101, [alice, 8n, 8n])], {
      facts: { ...facts, from: 100, baseBlock: 99 },
      base: () => ({ ok: true, data: topic(8n) }),
    });
    expect([periods(rows), current(rows)]).toEqual([[[alice, 99, 100, 8n]], [[alice, 101, 8n]]]);
  });

  it("are unknown where the node cannot tell, until it can", () => {
    const rows = fold([told(3, [alice, null, null]), told(5, [alice, null, null]), told(9, [alice, 6n, 7n])], {
      facts,
      base: () => ({ ok: false, reverted: false }),
    });
    expect(periods(rows)).toEqual([
      [alice, 0, 2, null],
      [alice, 3, 7, null],
      [alice, 8, 8, 6n],
    ]);
    expect(current(rows)).toEqual([[alice, 9, 7n]]);
  });
});
