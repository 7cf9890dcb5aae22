import { existsSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { BitcoinChainConfig } from "../config/bitcoin.ts";
import type { ChainConfig } from "../config/config.ts";
import type { Hash, Hex } from "../lib/hex.ts";
import { CommandError } from "./command-error.ts";

/** The demo's startup phases: `story`, then `check`, on its first start, and `load` on later ones. */
export type DemoPhase = "story" | "check" | "load";

/** The blocks that identify a saved chain. */
export interface DemoIdentity {
  readonly genesisHash: Hex;
  /** The last block that was saved. */
  readonly lastBlock: number;
  readonly lastBlockHash: Hex;
}

/** The demo's Bitcoin chain. */
export interface BitcoinDemo {
  readonly rpcUrl: string;
  readonly chain: BitcoinChainConfig;
  /** The block hash at a height; null if there is none. */
  hashAt(height: number): Hash | null;
}

/** A running demo chain. */
export interface Demo {
  readonly rpcUrl: string;
  readonly chain: ChainConfig;
  readonly bitcoin: BitcoinDemo;
  readonly story: { readonly values: Readonly<Record<string, string>> };
  /** Whether the chain was built, loaded from its saved state, or taken over from a killed process. */
  readonly origin: "built" | "loaded" | "adopted";
  identity(): DemoIdentity;
  /** Mines a block every few seconds and saves the state until the signal aborts; never rejects. */
  keepMining(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
  /** Stops the node and deletes its saved state: the next start builds the chain again. */
  discardState(): Promise<void>;
}

export interface DemoOptions {
  /** Ashlar's data directory; the demo uses its subfolder `demo/`. */
  readonly dataDirectory: string;
  readonly rpcPort?: number | undefined;
  readonly logger?: { info(message: string): void; warn(message: string): void };
  readonly signal?: AbortSignal;
  onProgress?(phase: DemoPhase, done: number, total: number): void;
}

/** The export `demo` of `demo/index.ts`. */
export interface DemoModule {
  startDemo(options: DemoOptions): Promise<Demo>;
  /** The chain of the last demo on a data directory; null if there was none. */
  lastDemoChain(dataDirectory: string): Promise<ChainConfig | null>;
}

/** Imported by its URL, so that the build does not include it; it has this module's extension, .ts or .js. */
const entry = new URL(`../../demo/index${extname(import.meta.url)}`, import.meta.url);

/** The demo module; null in an installed package, which does not contain it. */
export const findDemo = async (): Promise<DemoModule | null> =>
  existsSync(fileURLToPath(entry)) ? ((await import(entry.href)) as { readonly demo: DemoModule }).demo : null;

/** The demo module. @throws {CommandError} in an installed package. */
export const loadDemo = async (): Promise<DemoModule> => {
  const demo = await findDemo();
  if (demo !== null) return demo;
  throw new CommandError(
    "The demo is not part of the installed package: clone the repository to run it, or pass a node with --rpc URL --chain NAME.",
  );
};
