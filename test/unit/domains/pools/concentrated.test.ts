import { describe, expect, it } from "vitest";
import type { PoolEventFields } from "../../../../runtime/events/decoded-block.ts";
import { blockOf, type EmittedEvent, foldPools } from "./folding.ts";
import { factory, pick, pool, poolCreated, provider, router, token0, token1 } from "./pool-events.ts";

describe("a concentrated pool", () => {
  const range = (tickLower: number, tickUpper: number, amount: bigint) => ({ tickLower, tickUpper, liquidity: amount });
  const position = (kind: "poolDeposit" | "poolWithdrawal", liquidityRange: ReturnType<typeof range>): EmittedEvent =>
    ({ kind, address: pool, sender: router, to: provider, amount0: 5n, amount1: 6n, position: liquidityRange }) satisfies EmittedEvent;
  const pricedSwap: PoolEventFields = {
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
      poolCreated(factory, pool, [token0, token1], "concentrated"),
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
    kind: "poolBalanceChange",
    address: pool,
    amount0In: ins[0],
    amount1In: ins[1],
    amount0Out: outs[0],
    amount1Out: outs[1],
  });

  it("holds inflows minus outflows, and withdrawn amounts until they are collected", () => {
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
