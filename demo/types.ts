import type { ChainConfig } from "../runtime/config/config.ts";
import type { Identity } from "./state.ts";
import type { Cast, Inventory } from "./story/cast.ts";

/** What happens while the demo gets ready, in this order; only the first start has all of it. */
export type DemoPhase = "contracts" | "story" | "check" | "save" | "load";

export interface DemoLogger {
  info(message: string): void;
  warn(message: string): void;
}

export interface DemoOptions {
  /** Ashlar's data folder; the demo keeps to `demo/` below it. */
  readonly dataDirectory: string;
  /** Unix seconds at which the story ends. By default a saved chain continues, and a new one ends now. */
  readonly endTime?: number | undefined;
  readonly rpcPort?: number | undefined;
  /** 1, the whole story, unless a test wants a short one. */
  readonly scale?: number;
  /** The folder of compiled contracts, by default the demo's folder. */
  readonly contractsDirectory?: string;
  readonly logger?: DemoLogger;
  /** Gives up getting ready; what was begun is ended. */
  readonly signal?: AbortSignal;
  onProgress?(phase: DemoPhase, done: number, total: number): void;
}

interface Story {
  readonly version: string;
  readonly cast: Cast;
  readonly inventory: Inventory;
}

/**
 * A running demo chain. Its node has read its chain from a file, so it tells all blocks, receipts and `trace_block`, but no state (`eth_call`, `eth_getBalance`)
 * of a block before the loaded one except the genesis, and no `debug_trace…` of transactions before it.
 */
export interface Demo {
  readonly rpcUrl: string;
  readonly chain: ChainConfig;
  readonly story: Story;
  /** How many connections came to an address on this machine that hostile metadata lead to, and that nothing may be fetched from. */
  forbiddenRequests(): number;
  readonly processId: number;
  /** The origin of this chain: built, loaded from its saved state, or adopted from a killed run. */
  readonly origin: "built" | "loaded" | "adopted";
  /** The last saved state; see `Identity`. */
  identity(): Identity;
  /** Makes a block every few seconds until the signal, saving the state on the way; never rejects. */
  live(signal: AbortSignal, secondsPerBlock?: number): Promise<void>;
  /** Makes one block with some activity at once. */
  liveOneBlock(): Promise<void>;
  /** Saves the state when there are blocks that it lacks. */
  checkpoint(): Promise<void>;
  /** Saves the state, ends the node and lets go of the folder. */
  stop(): Promise<void>;
  /** Stops the node and removes its saved state, if it does not match the index: the next start builds the chain again. */
  discardState(): Promise<void>;
}
