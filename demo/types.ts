import type { ChainConfig } from "../runtime/config/config.ts";
import type { BitcoinDemo } from "./bitcoin/start-bitcoin.ts";
import type { Identity } from "./state.ts";
import type { Inventory, StoryValues } from "./story/story-values.ts";

/** The phases of a start: `story`, then `check`, if the chain is built; `load` if it is loaded. */
export type DemoPhase = "story" | "check" | "load";

export interface DemoLogger {
  info(message: string): void;
  warn(message: string): void;
}

export interface DemoOptions {
  /** Ashlar's data directory; the demo uses its folder `demo/`. */
  readonly dataDirectory: string;
  /** Unix seconds at which the story ends. By default a saved chain continues, and a new one ends now. */
  readonly endTime?: number | undefined;
  readonly rpcPort?: number | undefined;
  /** The scale of the story; by default 1, the full story. */
  readonly scale?: number;
  readonly logger?: DemoLogger;
  /** Aborts the start and stops the processes that it started. */
  readonly signal?: AbortSignal;
  onProgress?(phase: DemoPhase, done: number, total: number): void;
}

interface Story {
  readonly version: string;
  readonly values: StoryValues;
  readonly inventory: Inventory;
}

/**
 * A running demo chain. Its node has built the chain or loaded it from a file. It serves all blocks, receipts and `trace_block`. For blocks before
 * the loaded head, or before the last blocks of a chain that it has built, it has no `debug_trace…`, and state (`eth_call`, `eth_getBalance`) only
 * for the saved blocks.
 */
export interface Demo {
  readonly rpcUrl: string;
  readonly chain: ChainConfig;
  /** The Bitcoin chain, whose node runs in this process. */
  readonly bitcoin: BitcoinDemo;
  readonly story: Story;
  /** The number of connections to the local address to which hostile metadata redirects; a client must not connect to it. */
  forbiddenConnectionCount(): number;
  readonly processId: number;
  /** Whether the chain was built, loaded from its saved state, or adopted from a killed run. */
  readonly origin: "built" | "loaded" | "adopted";
  /** The last saved state; see `Identity`. */
  identity(): Identity;
  /** Mines a block every few seconds and saves the state regularly, until the signal aborts; never rejects. */
  keepMining(signal: AbortSignal, secondsPerBlock?: number): Promise<void>;
  /** Mines one block with some transactions. */
  mineLiveBlock(): Promise<void>;
  /** Saves the state if there are blocks since the last save. */
  save(): Promise<void>;
  /** Saves the state, stops the node and releases the folder. */
  stop(): Promise<void>;
  /** Stops the node and removes the saved state, for example because it does not match the index. The next start rebuilds the chain. */
  discardState(): Promise<void>;
}
