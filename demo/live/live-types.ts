import type { Address, Hex } from "../../runtime/lib/hex.ts";
import type { Artifacts } from "../contracts/artifacts.ts";
import type { NodeClient } from "../node/client.ts";
import type { Cast, Inventory } from "../story/cast.ts";
import type { Random } from "../story/random.ts";

/** The context of live actions. */
export interface LiveContext {
  readonly client: NodeClient;
  readonly cast: Cast;
  readonly inventory: Inventory;
  readonly artifacts: Pick<Artifacts, "router" | "pair" | "weth" | "rangeRouter" | "priceFeed" | "gardenCollection">;
  readonly random: Random;
  /** Unix seconds. */
  now(): number;
}

/** A transaction after the story. */
export interface LiveAction {
  readonly from: Address;
  readonly to: Address;
  readonly value?: bigint;
  readonly data?: Hex;
}
