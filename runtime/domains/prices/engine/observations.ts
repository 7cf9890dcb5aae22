import type { Address } from "../../../lib/hex.ts";
import type { Asset } from "./assets.ts";

/** A pool of a configured exchange. */
export interface PricedPool {
  readonly pool: Address;
  readonly token0: Address;
  readonly token1: Address;
  readonly isConcentrated: boolean;
}

/** The state of a pool after a block; unknown values are null. */
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

/** The last answer that a price feed emitted in a block. */
export interface FeedObservation {
  readonly kind: "feed";
  readonly time: number;
  readonly feed: Address;
  readonly answer: bigint;
}

/** A price that the operator imported: US dollars for one whole unit from a time on, as decimal text; null means unknown from then on. */
export interface FileObservation {
  readonly kind: "file";
  readonly time: number;
  readonly asset: Asset;
  readonly price: string | null;
}

/** The evidence that prices are computed from. Times are unix seconds. */
export type Observation = PoolObservation | FeedObservation | FileObservation;
