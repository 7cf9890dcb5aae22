import type { Address } from "../../lib/hex.ts";

/** 2100-01-01: far from any end time, so that the transactions of a story do not depend on it. */
export const farDeadline = 4_102_444_800n;

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

/** A pool and its two tokens, in no order. */
export interface Pool {
  readonly pair: Address;
  readonly tokens: readonly [Address, Address];
}
