import { describe, expect, it } from "vitest";
import type { PoolFact } from "../../../../runtime/events/decoded-block.ts";
import type { Row } from "../../../../runtime/indexer/projection.ts";
import { type Address, zeroAddress } from "../../../../runtime/lib/hex.ts";
import { account, blockOf, type EmittedEvent, foldPools, originOf } from "./folding.ts";

const [factory, otherFactory, token0, token1, token2, pool, other, router, provider, feeCollector] = [..."0123456789"].map((digit) =>
  account(digit === "0" ? "f" : digit),
) as unknown as [Address, Address, Address, Address, Address, Address, Address, Address, Address, Address];

const created = (
  address: Address,
  announced: Address,
  tokens: readonly [Address, Address] = [token0, token1],
  family: "xy=k" | "concentrated" = "xy=k",
): EmittedEvent => ({
  kind: "poolCreated",
  address,
  family,
  pool: announced,
  token0: tokens[0],
  token1: tokens[1],
  feePpm: family === "concentrated" ? 500 : null,
});
const sync = (address: Address, reserve0: bigint, reserve1: bigint): EmittedEvent => ({
  kind: "poolReserves",
  address,
  reserve0,
  reserve1,
});
const swap = (
  address: Address,
  ins: readonly [bigint, bigint],
  outs: readonly [bigint, bigint],
  transactionIndex = 0,
  to = provider,
): EmittedEvent => ({
  kind: "poolSwap",
  address,
  transactionIndex,
  sender: router,
  to,
  amount0In: ins[0],
  amount1In: ins[1],
  amount0Out: outs[0],
  amount1Out: outs[1],
  price: null,
});
const liquidity = (kind: "poolDeposit" | "poolWithdrawal", address: Address, amounts: readonly [bigint, bigint]): EmittedEvent => ({
  kind,
  address,
  sender: router,
  to: kind === "poolDeposit" ? null : provider,
  amount0: amounts[0],
  amount1: amounts[1],
  position: null,
});
const shares = (address: Address, from: Address, to: Address, amount: bigint): EmittedEvent => ({
  kind: "erc20Transfer",
  address,
  from,
  to,
  amount,
});
/** The events of a first deposit of 4,000 and 9,000: sqrt(4,000 × 9,000) = 6,000 shares, 1,000 of them locked forever. */
const firstDeposit = (contract: Address): EmittedEvent[] => [
  shares(contract, zeroAddress, zeroAddress, 1_000n),
  shares(contract, zeroAddress, provider, 5_000n),
  sync(contract, 4_000n, 9_000n),
  liquidity("poolDeposit", contract, [4_000n, 9_000n]),
];
const pick = (rows: readonly Row[] | undefined, ...columns: string[]): unknown[][] =>
  (rows ?? []).map((row) => columns.map((column) => row[column]));
const stateColumns = ["block_number", "reserve0", "reserve1", "supply", "swaps", "actions"];

describe("a pool of one factory", () => {
  const blocks = [
    blockOf(1, [created(factory, pool), ...firstDeposit(pool)]),
    // Two swaps in one transaction, then one in another transaction of the block.
    blockOf(2, [
      sync(pool, 4_100n, 8_800n),
      swap(pool, [100n, 0n], [0n, 200n]),
      sync(pool, 4_000n, 9_010n),
      swap(pool, [0n, 210n], [100n, 0n]),
      { ...sync(pool, 4_050n, 8_900n), transactionIndex: 1 },
      swap(pool, [50n, 0n], [0n, 110n], 1),
    ]),
    // Shares are sent to the pool, the protocol fee is minted, and the shares are burnt.
    blockOf(4, [
      shares(pool, provider, pool, 600n),
      shares(pool, zeroAddress, feeCollector, 6n),
      shares(pool, pool, zeroAddress, 600n),
      sync(pool, 3_645n, 8_010n),
      liquidity("poolWithdrawal", pool, [405n, 890n]),
      // The protocol fee comes before the provider's shares.
      { ...shares(pool, zeroAddress, feeCollector, 7n), transactionIndex: 1 },
      { ...shares(pool, zeroAddress, provider, 300n), transactionIndex: 1 },
      { ...sync(pool, 3_848n, 8_455n), transactionIndex: 1 },
      { ...liquidity("poolDeposit", pool, [203n, 445n]), transactionIndex: 1 },
    ]),
    // Shares sent to the zero address remain in the supply; a block with only token transfers changes nothing.
    blockOf(5, [shares(pool, provider, zeroAddress, 50n), shares(pool, provider, router, 5n)]),
  ];
  const rows = foldPools(blocks);

  it("has the last state and the sums of each block", () => {
    expect(pick(rows.pool_states, ...stateColumns)).toEqual([
      [1, 4_000n, 9_000n, 6_000n, 0, 1],
      [2, 4_050n, 8_900n, 6_000n, 3, 4],
      // 6,000 + 6 - 600 + 7 + 300.
      [4, 3_848n, 8_455n, 5_713n, 3, 6],
    ]);
    expect(pick(rows.pool_states, "amount0_in", "amount0_out", "amount1_in", "amount1_out").at(-1)).toEqual([150n, 100n, 210n, 310n]);
  });

  it("records only the provider's shares as liquidity", () => {
    const [add, , , , remove, second] = rows.pool_actions ?? [];
    expect(pick([add, remove, second] as Row[], "act", "liquidity", "to_address", "amount0_in", "amount0_out")).toEqual([
      [1, 5_000n, provider, 4_000n, 0n],
      [2, 600n, provider, 0n, 405n],
      [1, 300n, provider, 203n, 0n],
    ]);
  });

  it("lists each account of an action once", () => {
    const inBlock2 = rows.pool_action_accounts?.filter((row) => row.block_number === 2) ?? [];
    expect(pick(inBlock2, "account", "log_index")).toEqual([
      [originOf(0), 1],
      [router, 1],
      [provider, 1],
      [originOf(0), 3],
      [router, 3],
      [provider, 3],
      [originOf(1), 5],
      [router, 5],
      [provider, 5],
    ]);
    expect(new Set(inBlock2.map((row) => row.exchange))).toEqual(new Set([factory]));
  });

  it("is included in the sums of its exchange and its tokens", () => {
    expect(pick(rows.exchange_sums, "factory", "block_number", "swaps", "actions")).toEqual([
      [factory, 1, 0, 1],
      [factory, 2, 3, 4],
      [factory, 4, 3, 6],
    ]);
    const sumsOf = (token: Address) => (rows.exchange_token_sums ?? []).filter((row) => row.token === token);
    expect(pick(sumsOf(token0), "block_number", "reserve", "swaps", "swap_transactions", "amount_in", "amount_out")).toEqual([
      [1, 4_000n, 0, 0, 0n, 0n],
      [2, 4_050n, 3, 2, 150n, 100n],
      [4, 3_848n, 3, 2, 150n, 100n],
    ]);
    expect(pick(sumsOf(token1), "reserve", "amount_in", "amount_out").at(-1)).toEqual([8_455n, 210n, 310n]);
  });

  it("does not depend on the batch size", () => {
    for (const size of [1, 2, 3]) expect(foldPools(blocks, size)).toEqual(rows);
  });
});

describe("several pools of an exchange", () => {
  const blocks = [
    blockOf(1, [created(factory, pool), created(factory, other, [token0, token2]), ...firstDeposit(pool)]),
    blockOf(2, [...firstDeposit(other), swap(pool, [10n, 0n], [0n, 20n]), swap(other, [10n, 0n], [0n, 20n])]),
    blockOf(3, [swap(other, [0n, 5n], [2n, 0n])]),
  ];

  it("share the sums of a common token", () => {
    const rows = foldPools(blocks);
    const shared = (rows.exchange_token_sums ?? []).filter((row) => row.token === token0);
    // Both swaps of block 2 are in one transaction.
    expect(pick(shared, "block_number", "reserve", "swaps", "actions", "swap_transactions", "amount_in", "amount_out")).toEqual([
      [1, 4_000n, 0, 1, 0, 0n, 0n],
      [2, 8_000n, 2, 4, 1, 20n, 0n],
      [3, 8_000n, 3, 5, 2, 20n, 2n],
    ]);
    for (const size of [1, 2]) expect(foldPools(blocks, size)).toEqual(rows);
  });
});

describe("a pool that is emptied in the block of its creation", () => {
  it("has only the locked shares", () => {
    const rows = foldPools([
      blockOf(1, [
        created(factory, pool),
        ...firstDeposit(pool),
        shares(pool, provider, pool, 5_000n),
        shares(pool, pool, zeroAddress, 5_000n),
        sync(pool, 667n, 1_500n),
        liquidity("poolWithdrawal", pool, [3_333n, 7_500n]),
      ]),
      blockOf(2, [sync(pool, 0n, 0n)]),
    ]);
    expect(pick(rows.pool_states, ...stateColumns)).toEqual([
      [1, 667n, 1_500n, 1_000n, 0, 2],
      [2, 0n, 0n, 1_000n, 0, 2],
    ]);
    expect(pick(rows.exchange_token_sums, "token", "reserve").slice(-2)).toEqual([
      [token0, 0n],
      [token1, 0n],
    ]);
  });
});

describe("pool announcements", () => {
  it("are required before the events of a contract are stored", () => {
    const rows = foldPools([
      blockOf(1, [...firstDeposit(pool), swap(pool, [1n, 0n], [0n, 1n])]),
      blockOf(2, [sync(pool, 1n, 1n), { ...created(factory, pool), transactionIndex: 1 }]),
    ]);
    expect(rows.pool_states).toEqual([]);
    expect(rows.pool_actions).toEqual([]);
    expect(rows.exchange_sums).toEqual([]);
    expect(rows.pools).toHaveLength(1);
  });

  it("apply from the first event of the pool if they follow it in the same transaction", () => {
    const blocks = [
      blockOf(1, [
        // Events of a transaction before the announcing one are ignored.
        ...firstDeposit(other),
        ...firstDeposit(pool).map((event) => ({ ...event, transactionIndex: 1 })),
        { ...created(factory, pool), transactionIndex: 1 },
        { ...created(factory, other), transactionIndex: 1 },
      ]),
      blockOf(2, [swap(pool, [5n, 0n], [0n, 9n]), swap(other, [5n, 0n], [0n, 9n])]),
    ];
    for (const size of [1, 2]) {
      const rows = foldPools(blocks, size);
      expect(pick(rows.pools, "pool", "factory", "announcement")).toEqual([
        [pool, factory, 0],
        [other, factory, 0],
      ]);
      expect(pick(rows.pool_states, "pool", "reserve0", "supply", "swaps", "actions")).toEqual([
        [pool, 4_000n, 6_000n, 0, 1],
        [pool, 4_000n, 6_000n, 1, 2],
        [other, null, 0n, 1, 1],
      ]);
      expect(pick(rows.exchange_sums, "block_number", "actions")).toEqual([
        [1, 1],
        [2, 3],
      ]);
    }
  });

  it("are accepted from every factory up to the transaction of the pool's first event", () => {
    const blocks = [
      blockOf(1, [created(otherFactory, pool, [token1, token2])]),
      blockOf(2, [...firstDeposit(pool), created(factory, pool), { ...created(account("e"), pool), transactionIndex: 1 }]),
    ];
    for (const size of [1, 2]) {
      const rows = foldPools(blocks, size);
      expect(pick(rows.pools, "announcement", "factory")).toEqual([
        [0, otherFactory],
        [1, factory],
      ]);
      expect(pick(rows.pool_states, "block_number", "factory", "reserve0", "actions")).toEqual([[2, null, 4_000n, 1]]);
      expect(rows.exchange_sums).toEqual([]);
    }
  });

  it("may name an account that never emits an event", () => {
    const rows = foldPools([blockOf(1, [created(factory, provider)])]);
    expect(rows.pools).toHaveLength(1);
    expect(rows.pool_states).toEqual([]);
  });

  it("are ignored if a factory repeats them, even with different tokens", () => {
    const rows = foldPools(
      [blockOf(1, [created(factory, pool), created(factory, pool, [token1, token2])]), blockOf(2, [created(factory, pool)])],
      1,
    );
    expect(pick(rows.pools, "announcement", "token0", "token1")).toEqual([[0, token0, token1]]);
    expect(rows.shared_pools).toEqual([]);
  });

  it("are ignored from another factory after the pool's first event", () => {
    const lateAnnouncement = { ...created(otherFactory, pool, [token1, token2]), transactionIndex: 1 };
    const blocks = [
      blockOf(1, [created(factory, pool), ...firstDeposit(pool), lateAnnouncement]),
      blockOf(2, [lateAnnouncement, swap(pool, [5n, 0n], [0n, 9n], 1)]),
    ];
    for (const size of [1, 2]) {
      const rows = foldPools(blocks, size);
      expect(pick(rows.pools, "factory", "token0")).toEqual([[factory, token0]]);
      expect(pick(rows.exchange_sums, "factory", "swaps")).toEqual([
        [factory, 0],
        [factory, 1],
      ]);
      expect(rows.shared_pools).toEqual([]);
    }
  });

  it("may come from two factories before the pool's first event; the pool is then not included in the sums of either", () => {
    const blocks = [
      blockOf(1, [created(otherFactory, pool, [token1, token2])]),
      blockOf(2, [created(factory, pool), ...firstDeposit(pool)]),
      blockOf(3, [swap(pool, [5n, 0n], [0n, 9n]), created(account("e"), pool)]),
    ];
    for (const size of [1, 2, 3]) {
      const rows = foldPools(blocks, size);
      expect(pick(rows.pools, "announcement", "factory", "token0")).toEqual([
        [0, otherFactory, token1],
        [1, factory, token0],
      ]);
      expect(pick(rows.shared_pools, "factory", "block_number")).toEqual([
        [otherFactory, 2],
        [factory, 2],
      ]);
      expect(pick(rows.pool_states, "block_number", "factory", "swaps", "actions")).toEqual([
        [2, null, 0, 1],
        [3, null, 1, 2],
      ]);
      expect([rows.exchange_sums, rows.exchange_token_sums]).toEqual([[], []]);
      expect(new Set(rows.pool_action_accounts?.map((row) => row.exchange))).toEqual(new Set([pool]));
    }
  });

  it("do not limit the amounts of events", () => {
    const maxUint256 = 2n ** 256n - 1n;
    const blocks = [1, 2, 3].map((number) =>
      blockOf(number, [...(number === 1 ? [created(factory, pool)] : []), swap(pool, [maxUint256, maxUint256], [maxUint256, maxUint256])]),
    );
    const rows = foldPools([...blocks, blockOf(4, [shares(pool, pool, zeroAddress, maxUint256)])], 1);
    expect(pick(rows.pool_states, "amount0_in", "supply")).toEqual([
      [maxUint256, 0n],
      [2n * maxUint256, 0n],
      [3n * maxUint256, 0n],
      [3n * maxUint256, null],
    ]);
  });
});

describe("a concentrated pool", () => {
  const range = (tickLower: number, tickUpper: number, amount: bigint) => ({ tickLower, tickUpper, liquidity: amount });
  const position = (kind: "poolDeposit" | "poolWithdrawal", liquidityRange: ReturnType<typeof range>): EmittedEvent =>
    ({ kind, address: pool, sender: router, to: provider, amount0: 5n, amount1: 6n, position: liquidityRange }) satisfies EmittedEvent;
  const pricedSwap: PoolFact = {
    kind: "poolSwap",
    sender: router,
    to: provider,
    amount0In: 7n,
    amount1In: 0n,
    amount0Out: 0n,
    amount1Out: 3n,
    price: { sqrtPriceX96: 90n, liquidity: 30n, tick: -5 },
  };
  const blocks = [
    blockOf(1, [
      created(factory, pool, [token0, token1], "concentrated"),
      { kind: "poolPrice", address: pool, sqrtPriceX96: 100n, tick: 10 },
    ]),
    // A range is active if it contains the tick; it includes its lower end but not its upper end.
    blockOf(2, [
      position("poolDeposit", range(10, 20, 40n)),
      position("poolDeposit", range(0, 10, 30n)),
      position("poolDeposit", range(-20, 90, 2n)),
    ]),
    blockOf(3, [position("poolWithdrawal", range(10, 20, 15n)), position("poolWithdrawal", range(10, 20, 0n))]),
    blockOf(4, [{ address: pool, ...pricedSwap }]),
  ];
  const rows = foldPools(blocks, 1);

  it("has a price and its active liquidity", () => {
    expect(pick(rows.pool_states, "block_number", "sqrt_price_x96", "liquidity", "tick", "swaps", "actions")).toEqual([
      [1, 100n, 0n, 10, 0, 0],
      [2, 100n, 42n, 10, 0, 3],
      [3, 100n, 27n, 10, 0, 4],
      [4, 90n, 30n, -5, 1, 5],
    ]);
    expect(foldPools(blocks)).toEqual(rows);
  });

  const tokensMoved = (ins: readonly [bigint, bigint], outs: readonly [bigint, bigint]): EmittedEvent => ({
    kind: "poolMoved",
    address: pool,
    amount0In: ins[0],
    amount1In: ins[1],
    amount0Out: outs[0],
    amount1Out: outs[1],
  });

  it("holds inflows less outflows, and withdrawn amounts until they are collected", () => {
    const extended = [
      ...blocks,
      blockOf(5, [tokensMoved([0n, 0n], [5n, 6n])]),
      blockOf(6, [tokensMoved([1n, 2n], [0n, 0n]), position("poolDeposit", range(0, 10, 0n))]),
    ];
    const states = [
      [1, 0n, 0n],
      // Three deposits of 5 and 6.
      [2, 15n, 18n],
      [3, 15n, 18n],
      // A swap of 7 for 3.
      [4, 22n, 15n],
      [5, 17n, 9n],
      // A deposit that adds no liquidity is not an action, but its amounts count as reserves.
      [6, 23n, 17n],
    ];
    for (const size of [1, 2, 6])
      expect(pick(foldPools(extended, size).pool_states, "block_number", "reserve0", "reserve1")).toEqual(states);
  });

  it("has unknown reserves once outflows exceed inflows", () => {
    const extended = [...blocks, blockOf(5, [tokensMoved([0n, 0n], [0n, 16n])]), blockOf(6, [tokensMoved([90n, 90n], [0n, 0n])])];
    for (const size of [1, 2, 6]) {
      expect(pick(foldPools(extended, size).pool_states, "block_number", "reserve0", "reserve1").slice(3)).toEqual([
        [4, 22n, 15n],
        [5, null, null],
        [6, null, null],
      ]);
    }
  });

  it("is not included in constant-product exchanges", () => {
    expect([rows.exchange_sums, rows.exchange_token_sums]).toEqual([[], []]);
    expect(pick(rows.pools, "family", "fee_ppm")).toEqual([[1, 500]]);
  });
});
