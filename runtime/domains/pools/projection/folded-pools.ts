import type { PoolEvent } from "../../../events/decoded-block.ts";
import type { Row } from "../../../indexer/projection.ts";
import type { State } from "../../../indexer/state/state.ts";
import type { Address } from "../../../lib/hex.ts";
import type { PoolExchange, Reserves } from "./exchange-sums.ts";
import { familyCodes } from "./tables.ts";

/** A factory's word on a pool. */
export type PoolCreated = Extract<PoolEvent, { kind: "poolCreated" }>;

/** The last announcement of a pool before it spoke itself. */
interface Announcement {
  readonly number: number;
  readonly factory: Address;
  readonly tokens: readonly [Address, Address];
  readonly family: number;
}

/** What is known of an announced pool while blocks are folded. */
export interface FoldedPool {
  readonly pool: Address;
  announcement: Announcement;
  /** It has spoken: no factory may claim it any more. */
  hasEmitted: boolean;
  reserves: Reserves;
  sqrtPriceX96: bigint | null;
  liquidity: bigint | null;
  tick: number | null;
  /** Of the pool's own token; null once its transfers do not add up. */
  supply: bigint | null;
  swaps: number;
  actions: number;
  in: [bigint, bigint];
  out: [bigint, bigint];
  /** The UTC day of its last swap, in days since 1970. */
  lastSwapDay: number | null;
  /** What its own token's transfers of the running transaction said before the event that they belong to. */
  pending: {
    readonly transactionIndex: number;
    minted: { readonly to: Address; readonly amount: bigint } | null;
    burnt: bigint | null;
  } | null;
}

/** The only exchange that claims a constant-product pool; null where several do, and for other pools, which count in no exchange's sums. */
export const exchangeOf = ({ pool, announcement }: FoldedPool): PoolExchange | null =>
  announcement.number === 0 && announcement.family === familyCodes["xy=k"]
    ? { pool, factory: announcement.factory, tokens: announcement.tokens }
    : null;

const bigintOf = (value: Row[string] | undefined): bigint | null => (value === null || value === undefined ? null : BigInt(String(value)));

/** The announced pools, with what each had before the first folded block. */
export const createFoldedPools = (state: State) => {
  const books = new Map<Address, FoldedPool | null>();
  const touched = new Set<FoldedPool>();
  const announcedHere = new Set<string>();
  const rows: { readonly pools: Row[]; readonly shared: Row[]; readonly states: Row[] } = { pools: [], shared: [], states: [] };

  const load = (pool: Address): FoldedPool | null => {
    const announced = state.get("announcements", pool);
    if (announced === undefined) return null;
    const announcement = {
      number: Number(announced.announcement),
      factory: announced.factory as Address,
      tokens: [announced.token0 as Address, announced.token1 as Address] as const,
      family: Number(announced.family),
    };
    const stored = state.get("states", pool);
    if (stored === undefined) return newBook(pool, announcement);
    const [reserve0, reserve1] = [bigintOf(stored.reserve0), bigintOf(stored.reserve1)];
    return {
      pool,
      announcement,
      hasEmitted: true,
      reserves: reserve0 === null || reserve1 === null ? null : [reserve0, reserve1],
      sqrtPriceX96: bigintOf(stored.sqrt_price_x96),
      liquidity: bigintOf(stored.liquidity),
      tick: stored.tick === null ? null : Number(stored.tick),
      supply: bigintOf(stored.supply),
      swaps: Number(stored.swaps),
      actions: Number(stored.actions),
      in: [bigintOf(stored.amount0_in) ?? 0n, bigintOf(stored.amount1_in) ?? 0n],
      out: [bigintOf(stored.amount0_out) ?? 0n, bigintOf(stored.amount1_out) ?? 0n],
      lastSwapDay: stored.last_swap_day === null ? null : Number(stored.last_swap_day),
      pending: null,
    };
  };

  const find = (pool: Address): FoldedPool | null => {
    const known = books.get(pool);
    if (known !== undefined) return known;
    const loaded = load(pool);
    books.set(pool, loaded);
    return loaded;
  };

  return {
    rows,
    /** An announced pool; null for a contract that nobody announced. */
    find,
    /** Its state after the block is to be kept. */
    touch: (book: FoldedPool): void => {
      book.hasEmitted = true;
      touched.add(book);
    },
    /** A factory claims a pool: its first word on it counts, and only before the pool's own first word, or in the transaction of that. */
    announce: (event: PoolCreated, blockNumber: number): void => {
      const { address: factory, pool } = event;
      const book = find(pool);
      const claim = `${factory}${pool}`;
      if (book?.hasEmitted || announcedHere.has(claim) || state.get("announcedBy", factory, pool) !== undefined) return;
      announcedHere.add(claim);
      const family = familyCodes[event.family];
      const announcement = {
        number: (book?.announcement.number ?? -1) + 1,
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
      const claimants = book === null ? [] : announcement.number === 1 ? [book.announcement.factory, factory] : [factory];
      for (const claimant of claimants) rows.shared.push({ factory: claimant, pool, block_number: blockNumber });
      if (book === null) books.set(pool, newBook(pool, announcement));
      else book.announcement = announcement;
    },
    endBlock: (blockNumber: number): void => {
      for (const book of touched) {
        rows.states.push(rowOf(book, blockNumber));
        book.pending = null;
      }
      touched.clear();
    },
  };
};

const newBook = (pool: Address, announcement: Announcement): FoldedPool => ({
  pool,
  announcement,
  hasEmitted: false,
  reserves: null,
  sqrtPriceX96: null,
  liquidity: null,
  tick: null,
  supply: 0n,
  swaps: 0,
  actions: 0,
  in: [0n, 0n],
  out: [0n, 0n],
  lastSwapDay: null,
  pending: null,
});

/** The factory that a pool's rows name: the only one that announced it. */
export const factoryOf = ({ announcement }: FoldedPool): Address | null => (announcement.number === 0 ? announcement.factory : null);

const rowOf = (book: FoldedPool, blockNumber: number): Row => ({
  pool: book.pool,
  block_number: blockNumber,
  factory: factoryOf(book),
  reserve0: book.reserves?.[0] ?? null,
  reserve1: book.reserves?.[1] ?? null,
  sqrt_price_x96: book.sqrtPriceX96,
  liquidity: book.liquidity,
  tick: book.tick,
  supply: book.supply,
  swaps: book.swaps,
  actions: book.actions,
  amount0_in: book.in[0],
  amount0_out: book.out[0],
  amount1_in: book.in[1],
  amount1_out: book.out[1],
  last_swap_day: book.lastSwapDay,
});
