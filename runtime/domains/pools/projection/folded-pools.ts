import type { PoolEvent } from "../../../events/decoded-block.ts";
import type { Row } from "../../../indexer/projection.ts";
import type { State } from "../../../indexer/state/state.ts";
import type { Address } from "../../../lib/hex.ts";
import type { PoolExchange, Reserves } from "./exchange-sums.ts";
import { familyCodes } from "./tables.ts";

/** A factory's announcement of a pool. */
export type PoolCreated = Extract<PoolEvent, { kind: "poolCreated" }>;

/** A pool's last announcement before its first event. */
interface Announcement {
  readonly number: number;
  readonly factory: Address;
  readonly tokens: readonly [Address, Address];
  readonly family: number;
}

/** The state of an announced pool while blocks are folded. */
export interface FoldedPool {
  readonly address: Address;
  announcement: Announcement;
  /** Whether the pool has emitted an event, after which announcements are ignored. */
  hasEmitted: boolean;
  reserves: Reserves;
  sqrtPriceX96: bigint | null;
  liquidity: bigint | null;
  tick: number | null;
  /** The supply of the LP token; null once its transfers are inconsistent. */
  supply: bigint | null;
  swapCount: number;
  actionCount: number;
  amountsIn: [bigint, bigint];
  amountsOut: [bigint, bigint];
  /** The UTC day of its last swap, in days since 1970. */
  lastSwapDay: number | null;
  /** Mints and burns of the LP token in the current transaction that precede their event. */
  pending: {
    readonly transactionIndex: number;
    minted: { readonly to: Address; readonly amount: bigint } | null;
    burned: bigint | null;
  } | null;
}

/** The exchange whose sums include a pool: its factory, if it is a constant-product pool that no other factory announced; otherwise null. */
export const exchangeOf = ({ address, announcement }: FoldedPool): PoolExchange | null =>
  announcement.number === 0 && announcement.family === familyCodes["xy=k"]
    ? { pool: address, factory: announcement.factory, tokens: announcement.tokens }
    : null;

const bigintOf = (value: Row[string] | undefined): bigint | null => (value === null || value === undefined ? null : BigInt(String(value)));

/** The announced pools, loaded with their states before the first folded block. */
export const createFoldedPools = (state: State) => {
  const pools = new Map<Address, FoldedPool | null>();
  const touched = new Set<FoldedPool>();
  const announcedInBatch = new Set<string>();
  const rows: { readonly pools: Row[]; readonly shared: Row[]; readonly states: Row[] } = { pools: [], shared: [], states: [] };

  const find = (pool: Address): FoldedPool | null => {
    const existing = pools.get(pool);
    if (existing !== undefined) return existing;
    const loaded = loadPool(state, pool);
    pools.set(pool, loaded);
    return loaded;
  };

  return {
    rows,
    /** An announced pool; null for a contract that no factory announced. */
    find,
    /** Marks a pool as changed, so that its state after the block is written. */
    touch: (folded: FoldedPool): void => {
      folded.hasEmitted = true;
      touched.add(folded);
    },
    /** Records an announcement, unless the factory has announced the pool before, or the pool emitted an event in an earlier transaction. */
    announce: (event: PoolCreated, blockNumber: number): void => {
      const { address: factory, pool } = event;
      const folded = find(pool);
      const claim = `${factory}${pool}`;
      if (folded?.hasEmitted || announcedInBatch.has(claim) || state.get("announcedBy", factory, pool) !== undefined) return;
      announcedInBatch.add(claim);
      const family = familyCodes[event.family];
      const announcement = {
        number: (folded?.announcement.number ?? -1) + 1,
        factory,
        tokens: [event.token0, event.token1] as const,
        family,
      };
      rows.pools.push({
        pool,
        announcement: announcement.number,
        factory,
        token0: event.token0,
        token1: event.token1,
        family,
        fee_ppm: event.feePpm,
        block_number: blockNumber,
        transaction_index: event.transactionIndex,
      });
      const claimants = folded === null ? [] : announcement.number === 1 ? [folded.announcement.factory, factory] : [factory];
      for (const claimant of claimants) rows.shared.push({ factory: claimant, pool, block_number: blockNumber });
      if (folded === null) pools.set(pool, newPool(pool, announcement));
      else folded.announcement = announcement;
    },
    endBlock: (blockNumber: number): void => {
      for (const folded of touched) {
        rows.states.push(rowOf(folded, blockNumber));
        folded.pending = null;
      }
      touched.clear();
    },
  };
};

/** The stored state of a pool; null for a contract that no factory announced. */
const loadPool = (state: State, pool: Address): FoldedPool | null => {
  const announced = state.get("announcements", pool);
  if (announced === undefined) return null;
  const announcement = {
    number: Number(announced.announcement),
    factory: announced.factory as Address,
    tokens: [announced.token0 as Address, announced.token1 as Address] as const,
    family: Number(announced.family),
  };
  const stored = state.get("states", pool);
  if (stored === undefined) return newPool(pool, announcement);
  const [reserve0, reserve1] = [bigintOf(stored.reserve0), bigintOf(stored.reserve1)];
  return {
    address: pool,
    announcement,
    hasEmitted: true,
    reserves: reserve0 === null || reserve1 === null ? null : [reserve0, reserve1],
    sqrtPriceX96: bigintOf(stored.sqrt_price_x96),
    liquidity: bigintOf(stored.liquidity),
    tick: stored.tick === null ? null : Number(stored.tick),
    supply: bigintOf(stored.supply),
    swapCount: Number(stored.swaps),
    actionCount: Number(stored.actions),
    amountsIn: [bigintOf(stored.amount0_in) ?? 0n, bigintOf(stored.amount1_in) ?? 0n],
    amountsOut: [bigintOf(stored.amount0_out) ?? 0n, bigintOf(stored.amount1_out) ?? 0n],
    lastSwapDay: stored.last_swap_day === null ? null : Number(stored.last_swap_day),
    pending: null,
  };
};

const newPool = (pool: Address, announcement: Announcement): FoldedPool => ({
  address: pool,
  announcement,
  hasEmitted: false,
  reserves: null,
  sqrtPriceX96: null,
  liquidity: null,
  tick: null,
  supply: 0n,
  swapCount: 0,
  actionCount: 0,
  amountsIn: [0n, 0n],
  amountsOut: [0n, 0n],
  lastSwapDay: null,
  pending: null,
});

/** The factory in a pool's rows: the only factory that announced it, or null if several did. */
export const factoryOf = ({ announcement }: FoldedPool): Address | null => (announcement.number === 0 ? announcement.factory : null);

const rowOf = (folded: FoldedPool, blockNumber: number): Row => ({
  pool: folded.address,
  block_number: blockNumber,
  factory: factoryOf(folded),
  reserve0: folded.reserves?.[0] ?? null,
  reserve1: folded.reserves?.[1] ?? null,
  sqrt_price_x96: folded.sqrtPriceX96,
  liquidity: folded.liquidity,
  tick: folded.tick,
  supply: folded.supply,
  swaps: folded.swapCount,
  actions: folded.actionCount,
  amount0_in: folded.amountsIn[0],
  amount0_out: folded.amountsOut[0],
  amount1_in: folded.amountsIn[1],
  amount1_out: folded.amountsOut[1],
  last_swap_day: folded.lastSwapDay,
});
