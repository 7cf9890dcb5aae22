import type { Address } from "../../runtime/lib/hex.ts";

/** 2100-01-01. A constant, so that transactions do not depend on the end time of the story. */
export const farDeadline = 4_102_444_800n;

export const unlimited = 2n ** 256n - 1n;

/**
 * The dollars that a pool must hold on one side for its price to be used. The regular pools hold at least about 100,000. The two wash traders
 * have 2,400 together, so their pool always remains below a tenth of the floor.
 */
export const liquidityFloor = 25_000;

/** A Uniswap V2 exchange with its four pairs. */
export interface Exchange {
  readonly factory: Address;
  readonly router: Address;
  readonly pairs: {
    readonly dollarEther: Address;
    readonly goldDollar: Address;
    readonly goldEther: Address;
    readonly saltEther: Address;
  };
}

/** The second Uniswap V2 exchange, with more tokens and wash trades. */
export interface RivalExchange {
  readonly factory: Address;
  readonly router: Address;
  /** A token without decimals. */
  readonly ticket: Address;
  /** A token with 27 decimals. */
  readonly saffron: Address;
  readonly pairs: {
    /** The first exchange has the same pair. */
    readonly dollarEther: Address;
    /** The first exchange has the same pair; this one is drained near the end. */
    readonly saltEther: Address;
    readonly tollDollar: Address;
    readonly ticketDollar: Address;
    readonly saffronEther: Address;
    /** Nearly empty; only the wash traders use it. */
    readonly wash: Address;
  };
}

/** A Uniswap V3 exchange. */
export interface RangeExchange {
  readonly factory: Address;
  readonly router: Address;
  readonly positions: Address;
  readonly descriptor: Address;
  readonly pools: {
    readonly dollarEther: Address;
    readonly goldEther: Address;
  };
}

/** A pool and its two tokens, in any order. */
export interface Pool {
  readonly pair: Address;
  readonly tokens: readonly [Address, Address];
}

/** A pool of the Uniswap V3 exchange; its tokens are ordered by address. */
export interface RangePool {
  readonly pool: Address;
  readonly tokens: readonly [Address, Address];
  /** Millionths of the input. */
  readonly fee: number;
  /** The tick spacing of positions. */
  readonly tickSpacing: number;
}
