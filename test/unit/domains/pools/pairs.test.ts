import { describe, expect, it } from "vitest";
import type { Row } from "../../../../runtime/indexer/projection.ts";
import { type Address, zeroAddress } from "../../../../runtime/lib/hex.ts";
import { blockOf, foldPools, originOf } from "./folding.ts";
import {
  factory,
  feeCollector,
  firstDeposit,
  liquidity,
  other,
  pick,
  pool,
  poolCreated,
  provider,
  router,
  shareTransfer,
  swap,
  sync,
  token0,
  token1,
  token2,
} from "./pool-events.ts";

const stateColumns = ["block_number", "reserve0", "reserve1", "supply", "swaps", "actions"];

describe("a pool of one factory", () => {
  const blocks = [
    blockOf(1, [poolCreated(factory, pool), ...firstDeposit(pool)]),
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
      shareTransfer(pool, provider, pool, 600n),
      shareTransfer(pool, zeroAddress, feeCollector, 6n),
      shareTransfer(pool, pool, zeroAddress, 600n),
      sync(pool, 3_645n, 8_010n),
      liquidity("poolWithdrawal", pool, [405n, 890n]),
      // The protocol fee comes before the provider's shares.
      { ...shareTransfer(pool, zeroAddress, feeCollector, 7n), transactionIndex: 1 },
      { ...shareTransfer(pool, zeroAddress, provider, 300n), transactionIndex: 1 },
      { ...sync(pool, 3_848n, 8_455n), transactionIndex: 1 },
      { ...liquidity("poolDeposit", pool, [203n, 445n]), transactionIndex: 1 },
    ]),
    // Shares sent to the zero address remain in the supply; a block with only token transfers changes nothing.
    blockOf(5, [shareTransfer(pool, provider, zeroAddress, 50n), shareTransfer(pool, provider, router, 5n)]),
  ];
  const rows = foldPools(blocks);

  it("has each block's last state and sums", () => {
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

  it("lists each of an action's accounts once", () => {
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

  it("is included in the sums for its exchange and its tokens", () => {
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
    blockOf(1, [poolCreated(factory, pool), poolCreated(factory, other, [token0, token2]), ...firstDeposit(pool)]),
    blockOf(2, [...firstDeposit(other), swap(pool, [10n, 0n], [0n, 20n]), swap(other, [10n, 0n], [0n, 20n])]),
    blockOf(3, [swap(other, [0n, 5n], [2n, 0n])]),
  ];

  it("share a common token's sums", () => {
    const rows = foldPools(blocks);
    const shared = (rows.exchange_token_sums ?? []).filter((row) => row.token === token0);
    // Both swaps in block 2 are in one transaction.
    expect(pick(shared, "block_number", "reserve", "swaps", "actions", "swap_transactions", "amount_in", "amount_out")).toEqual([
      [1, 4_000n, 0, 1, 0, 0n, 0n],
      [2, 8_000n, 2, 4, 1, 20n, 0n],
      [3, 8_000n, 3, 5, 2, 20n, 2n],
    ]);
    for (const size of [1, 2]) expect(foldPools(blocks, size)).toEqual(rows);
  });
});

describe("a pool emptied in the block that created it", () => {
  it("has only the locked shares", () => {
    const rows = foldPools([
      blockOf(1, [
        poolCreated(factory, pool),
        ...firstDeposit(pool),
        shareTransfer(pool, provider, pool, 5_000n),
        shareTransfer(pool, pool, zeroAddress, 5_000n),
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
