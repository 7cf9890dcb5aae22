import { describe, expect, it } from "vitest";
import { zeroAddress } from "../../../../runtime/lib/hex.ts";
import { account, blockOf, foldPools } from "./folding.ts";
import {
  factory,
  firstDeposit,
  other,
  otherFactory,
  pick,
  pool,
  poolCreated,
  provider,
  shareTransfer,
  swap,
  sync,
  token0,
  token1,
  token2,
} from "./pool-events.ts";

describe("pool announcements", () => {
  it("are required before a contract's events are stored", () => {
    const rows = foldPools([
      blockOf(1, [...firstDeposit(pool), swap(pool, [1n, 0n], [0n, 1n])]),
      blockOf(2, [sync(pool, 1n, 1n), { ...poolCreated(factory, pool), transactionIndex: 1 }]),
    ]);
    expect(rows.pool_states).toEqual([]);
    expect(rows.pool_actions).toEqual([]);
    expect(rows.exchange_sums).toEqual([]);
    expect(rows.pools).toHaveLength(1);
  });

  it("apply from the pool's first event if they follow it in the same transaction", () => {
    const blocks = [
      blockOf(1, [
        // Events in a transaction before the announcing one are ignored.
        ...firstDeposit(other),
        ...firstDeposit(pool).map((event) => ({ ...event, transactionIndex: 1 })),
        { ...poolCreated(factory, pool), transactionIndex: 1 },
        { ...poolCreated(factory, other), transactionIndex: 1 },
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

  it("are accepted from every factory up to the transaction with the pool's first event", () => {
    const blocks = [
      blockOf(1, [poolCreated(otherFactory, pool, [token1, token2])]),
      blockOf(2, [...firstDeposit(pool), poolCreated(factory, pool), { ...poolCreated(account("e"), pool), transactionIndex: 1 }]),
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
    const rows = foldPools([blockOf(1, [poolCreated(factory, provider)])]);
    expect(rows.pools).toHaveLength(1);
    expect(rows.pool_states).toEqual([]);
  });

  it("are ignored if a factory repeats them, even with different tokens", () => {
    const rows = foldPools(
      [blockOf(1, [poolCreated(factory, pool), poolCreated(factory, pool, [token1, token2])]), blockOf(2, [poolCreated(factory, pool)])],
      1,
    );
    expect(pick(rows.pools, "announcement", "token0", "token1")).toEqual([[0, token0, token1]]);
    expect(rows.shared_pools).toEqual([]);
  });

  it("are ignored from another factory after the pool's first event", () => {
    const lateAnnouncement = { ...poolCreated(otherFactory, pool, [token1, token2]), transactionIndex: 1 };
    const blocks = [
      blockOf(1, [poolCreated(factory, pool), ...firstDeposit(pool), lateAnnouncement]),
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
      blockOf(1, [poolCreated(otherFactory, pool, [token1, token2])]),
      blockOf(2, [poolCreated(factory, pool), ...firstDeposit(pool)]),
      blockOf(3, [swap(pool, [5n, 0n], [0n, 9n]), poolCreated(account("e"), pool)]),
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

  it("do not limit event amounts", () => {
    const maxUint256 = 2n ** 256n - 1n;
    const blocks = [1, 2, 3].map((number) =>
      blockOf(number, [
        ...(number === 1 ? [poolCreated(factory, pool)] : []),
        swap(pool, [maxUint256, maxUint256], [maxUint256, maxUint256]),
      ]),
    );
    const rows = foldPools([...blocks, blockOf(4, [shareTransfer(pool, pool, zeroAddress, maxUint256)])], 1);
    expect(pick(rows.pool_states, "amount0_in", "supply")).toEqual([
      [maxUint256, 0n],
      [2n * maxUint256, 0n],
      [3n * maxUint256, 0n],
      [3n * maxUint256, null],
    ]);
  });
});
