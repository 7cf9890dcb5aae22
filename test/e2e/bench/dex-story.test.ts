import { describe, expect, it } from "vitest";
import { marketDays, marketOf } from "../../../bench/dex/market.ts";
import { createSimulatedPool } from "../../../bench/dex/simulated-pool.ts";
import { generateMarket } from "../../../bench/dex/story.ts";
import { createMemoryState, createRowInterner } from "../../../bench/support/memory-state.ts";
import { poolsProjection } from "../../../runtime/domains/pools/projection/index.ts";
import type { DecodedBlock, DecodedEvent } from "../../../runtime/events/decoded-block.ts";
import type { Row } from "../../../runtime/indexer/projection.ts";

const size = { seed: 5, swaps: 20_000, pools: 400, until: 1_760_000_000 };
const market = marketOf(size);
const blocks = [...generateMarket(size)];
const events = blocks.flatMap((block) => block.events);
const eventsOfKind = <Kind extends DecodedEvent["kind"]>(kind: Kind) =>
  events.filter((event): event is DecodedEvent & { kind: Kind } => event.kind === kind);
const swaps = eventsOfKind("poolSwap");

describe("the generated market", () => {
  it("is identical for the same seed and differs between seeds", () => {
    expect([...generateMarket(size)].slice(0, 200)).toEqual(blocks.slice(0, 200));
    expect([...generateMarket({ ...size, seed: 6 })].slice(0, 200)).not.toEqual(blocks.slice(0, 200));
  });

  it("has the requested numbers of swaps and pools in consecutive blocks up to the requested time", () => {
    expect(swaps.length).toBe(20_000);
    expect(new Set(eventsOfKind("poolCreated").map(({ pool }) => pool)).size).toBe(400);
    const pairs = market.pools.map(({ exchange, tokens }) => `${exchange.name} ${tokens[0].address} ${tokens[1].address}`);
    expect(new Set(pairs).size).toBe(400);
    expect(blocks.slice(1).every(({ block }, index) => block.parentHash === blocks[index]?.block.hash)).toBe(true);
    const [first, last] = [blocks[0]?.block.timestamp ?? 0, blocks.at(-1)?.block.timestamp ?? 0];
    expect(last).toBe(1_760_000_000);
    // The first block is one block time less than sixty days before the last.
    expect(last - first).toBeGreaterThan((marketDays - 1) * 86_400);
    expect(last - first).toBeLessThanOrEqual(marketDays * 86_400);
  });

  it("numbers each block's logs and transactions in ascending order", () => {
    const isAscending = (values: readonly number[]): boolean =>
      values.every((value, index) => index === 0 || value > (values[index - 1] ?? value));
    expect(blocks.every((block) => isAscending(block.events.map(({ logIndex }) => logIndex)))).toBe(true);
    expect(
      blocks.every(({ block, events: blockEvents }) =>
        blockEvents.every(({ transactionIndex }) => block.transactions[transactionIndex]?.index === transactionIndex),
      ),
    ).toBe(true);
  });

  it("never pays out more than the reserves' product allows", () => {
    const reservesByPool = new Map<string, readonly [bigint, bigint]>();
    for (const event of events) {
      if (event.kind === "poolReserves") reservesByPool.set(event.address, [event.reserve0, event.reserve1]);
      if (event.kind !== "poolSwap" || event.price !== null) continue;
      // Sync precedes Swap: undoing the swap's amounts on its reserves gives the reserves before the swap.
      const [reserve0, reserve1] = reservesByPool.get(event.address) ?? [0n, 0n];
      const before = (reserve0 - event.amount0In + event.amount0Out) * (reserve1 - event.amount1In + event.amount1Out);
      expect(before <= reserve0 * reserve1 && event.amount0Out + event.amount1Out > 0n, event.address).toBe(true);
    }
  });

  it("has reserves equal to inflows minus outflows", () => {
    const reservesByPool = new Map(eventsOfKind("poolReserves").map(({ address, reserve0, reserve1 }) => [address, [reserve0, reserve1]]));
    const totals = new Map<string, [bigint, bigint]>();
    const move = (pool: string, amount0: bigint, amount1: bigint): void => {
      const total = totals.get(pool) ?? [0n, 0n];
      totals.set(pool, [total[0] + amount0, total[1] + amount1]);
    };
    for (const swap of swaps) move(swap.address, swap.amount0In - swap.amount0Out, swap.amount1In - swap.amount1Out);
    for (const { address, amount0, amount1 } of eventsOfKind("poolDeposit")) move(address, amount0, amount1);
    for (const { address, amount0, amount1 } of eventsOfKind("poolWithdrawal")) move(address, -amount0, -amount1);
    expect(reservesByPool.size).toBe(380);
    for (const [pool, reserves] of reservesByPool) expect(totals.get(pool), pool).toEqual(reserves);
  });

  it("gives the first of 400 pools the swap share that Zipf's law predicts, and the last pool no swaps in the last week", () => {
    // 1 / (1 + 1/2 + … + 1/400) is 0.152; the actual share is larger, because other pools start later or end earlier.
    const firstPoolShare = swaps.filter(({ address }) => address === market.pools[0]?.address).length / swaps.length;
    expect(firstPoolShare).toBeGreaterThan(0.13);
    expect(firstPoolShare).toBeLessThan(0.2);
    const lastWeek = blocks.filter(({ block }) => block.timestamp > size.until - 7 * 86_400).flatMap((block) => block.events);
    const active = new Set(lastWeek.flatMap((event) => (event.kind === "poolSwap" ? [event.address] : [])));
    expect(active.has(market.pools.at(-1)?.address ?? "0x")).toBe(false);
  });

  it("gives the whale LP tokens of 200 pools, and burns only LP tokens that exist", () => {
    const shares = new Map<string, bigint>();
    const pools = new Set<string>(market.pools.map(({ address }) => address));
    let overdrawn = 0;
    for (const { address, from, to, amount } of eventsOfKind("erc20Transfer")) {
      if (!pools.has(address)) continue;
      const remaining = (shares.get(address + from) ?? 0n) - amount;
      if (remaining < 0n && !/^0x0+$/.test(from)) overdrawn += 1;
      shares.set(address + from, remaining);
      shares.set(address + to, (shares.get(address + to) ?? 0n) + amount);
    }
    expect(overdrawn).toBe(0);
    const whalePools = market.pools.filter(
      ({ address, exchange }) => exchange.family === "xy=k" && (shares.get(address + market.whale) ?? 0n) > 0n,
    );
    // Half of the 400 pools; the concentrated pools (every twentieth, all with odd numbers) have no shares.
    expect(whalePools.length).toBe(200);
  });
});

describe("a generated pool", () => {
  const [pool] = market.pools;
  if (pool === undefined) throw new Error("The generated market has no pools.");
  const evenPool = { ...pool, reserves: [1_000_000n, 1_000_000n] as const };

  it("prices a trade by the product of its reserves, after a 0.3 percent fee on the input", () => {
    // After the fee, 9,970 of the 10,000 paid in remain: 1,000,000 * 9,970 / (1,000,000 + 9,970) is 9,871.6.
    const simulatedPool = createSimulatedPool(evenPool);
    expect(simulatedPool.trade(0, 10_000)).toEqual({ side: 0, amountIn: 10_000n, amountOut: 9_871n });
    expect(simulatedPool.reserves).toEqual([1_010_000n, 990_129n]);
  });

  it("burns only the first provider's shares", () => {
    // The supply is the product's square root, 1,000,000, with 1,000 locked: half of 999,000 is burned, then half of the rest.
    const simulatedPool = createSimulatedPool(evenPool);
    expect(simulatedPool.remove(500)).toEqual({ amounts: [499_500n, 499_500n], shares: 499_500n });
    expect(simulatedPool.remove(500).shares).toBe(249_750n);
    expect([simulatedPool.supply, simulatedPool.providerShares]).toEqual([250_750n, 249_750n]);
  });

  it("mints shares in proportion to the deposit", () => {
    const simulatedPool = createSimulatedPool(evenPool);
    expect(simulatedPool.add(20)).toEqual({ amounts: [20_000n, 20_000n], shares: 20_000n });
    expect(simulatedPool.supply).toBe(1_020_000n);
  });
});

describe("the pools projection's rows for the generated market", () => {
  it("contain the raw swaps' sums", () => {
    const rows = foldInBatches(blocks, 97);
    const expected = new Map<string, { swaps: number; sums: [bigint, bigint, bigint, bigint] }>();
    for (const { address, amount0In, amount0Out, amount1In, amount1Out } of swaps) {
      const sum = expected.get(address) ?? { swaps: 0, sums: [0n, 0n, 0n, 0n] };
      const [in0, out0, in1, out1] = sum.sums;
      expected.set(address, { swaps: sum.swaps + 1, sums: [in0 + amount0In, out0 + amount0Out, in1 + amount1In, out1 + amount1Out] });
    }
    const newest = new Map(rows("pool_states").map((row) => [row.pool, row]));
    for (const [pool, { swaps: count, sums }] of expected) {
      const row = newest.get(pool) ?? {};
      expect([row.swaps, row.amount0_in, row.amount0_out, row.amount1_in, row.amount1_out], pool).toEqual([count, ...sums]);
    }
    expect(rows("pool_actions").filter(({ act }) => act === 0).length).toBe(20_000);
    const constantProductFactories = market.exchanges.filter(({ family }) => family === "xy=k").map(({ factory }) => factory);
    const swapsByFactory = new Map(rows("exchange_sums").map((row) => [row.factory, Number(row.swaps)]));
    const factoryByPool = new Map(market.pools.map(({ address, exchange }) => [address, exchange.factory]));
    for (const factory of constantProductFactories) {
      expect(swapsByFactory.get(factory)).toBe(swaps.filter(({ address }) => factoryByPool.get(address) === factory).length);
    }
  });
});

/** Folds the blocks in batches and returns the rows by table. */
function foldInBatches(all: readonly DecodedBlock[], batchSize: number): (table: string) => readonly Row[] {
  const memory = createMemoryState(poolsProjection, createRowInterner());
  const rows = new Map<string, Row[]>();
  const chain = { from: 0, baseBlock: 0, nativeAccounting: "none" as const, wrappedNative: new Set<`0x${string}`>() };
  for (let first = 0; first < all.length; first += batchSize) {
    const folded = poolsProjection.fold(all.slice(first, first + batchSize), {
      chain,
      state: memory.state,
      baseOutcome: () => {
        throw new Error("Unexpected read of the node");
      },
    });
    memory.store(folded);
    for (const [table, tableRows] of Object.entries(folded)) rows.set(table, [...(rows.get(table) ?? []), ...tableRows]);
  }
  return (table) => rows.get(table) ?? [];
}
