import type { Address } from "../../runtime/lib/hex.ts";

/** 2100-01-01: far from any end time, so that the transactions of a story do not depend on it. */
export const farDeadline = 4_102_444_800n;

export const unlimited = 2n ** 256n - 1n;

/**
 * Dollars that a pool must hold on one side for its price to count. The real pools hold from about 100,000 up; the two wash traders have 2,400 between them,
 * so that their pool stays below a tenth of it whatever they do.
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

/** The second exchange of Uniswap V2's contracts: other pools, other tokens, and wash trades. */
export interface RivalExchange {
  readonly factory: Address;
  readonly router: Address;
  /** No decimals. */
  readonly ticket: Address;
  /** 27 decimals. */
  readonly saffron: Address;
  readonly pairs: {
    /** As on the first exchange. */
    readonly dollarEther: Address;
    /** As on the first exchange, and drained in the end. */
    readonly saltEther: Address;
    readonly tollDollar: Address;
    readonly ticketDollar: Address;
    readonly saffronEther: Address;
    /** Almost empty, with two wash traders. */
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

/** A pool and its two tokens, in no order. */
export interface Pool {
  readonly pair: Address;
  readonly tokens: readonly [Address, Address];
}

/** A pool of the third exchange, its tokens in the order of their addresses. */
export interface RangePool {
  readonly pool: Address;
  readonly tokens: readonly [Address, Address];
  /** Millionths of the input. */
  readonly fee: number;
  /** The tick spacing of positions. */
  readonly spacing: number;
}
