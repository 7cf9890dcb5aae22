import type { Address } from "../../../lib/hex.ts";
import type { Asset } from "./assets.ts";

/** A pool whose states prices are derived from. */
export interface PricedPool {
  readonly pool: Address;
  readonly token0: Address;
  readonly token1: Address;
  readonly isConcentrated: boolean;
}

/** What was in a pool after a block; null where it is not known. */
export interface PoolObservation {
  readonly kind: "pool";
  readonly time: number;
  readonly pool: Address;
  readonly reserve0: bigint | null;
  readonly reserve1: bigint | null;
  readonly sqrtPriceX96: bigint | null;
  readonly liquidity: bigint | null;
  readonly supply: bigint | null;
}

/** What a contract that is a feed said last in a block. */
export interface FeedObservation {
  readonly kind: "feed";
  readonly time: number;
  readonly feed: Address;
  readonly answer: bigint;
}

/** What the operator's file says from a time on: US dollars for one whole unit, as decimal text; null: not known. */
export interface FileObservation {
  readonly kind: "file";
  readonly time: number;
  readonly asset: Asset;
  readonly price: string | null;
}

/** What prices are made of. Times are unix seconds. */
export type Observation = PoolObservation | FeedObservation | FileObservation;
