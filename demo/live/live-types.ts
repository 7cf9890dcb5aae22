import type { Address, Hex } from "../../runtime/lib/hex.ts";
import type { Artifacts } from "../contracts/artifacts.ts";
import type { NodeClient } from "../node/client.ts";
import type { Random } from "../story/random.ts";
import type { Inventory, StoryValues } from "../story/story-values.ts";

/** The context of live actions. */
export interface LiveContext {
  readonly client: NodeClient;
  readonly values: StoryValues;
  readonly inventory: Inventory;
  readonly artifacts: Pick<Artifacts, "router" | "pair" | "weth" | "rangeRouter" | "priceFeed" | "gardenCollection">;
  readonly random: Random;
  /** Unix seconds. */
  now(): number;
}

/** A transaction of a live block. */
export interface LiveAction {
  readonly from: Address;
  readonly to: Address;
  readonly value?: bigint;
  readonly data?: Hex;
}
