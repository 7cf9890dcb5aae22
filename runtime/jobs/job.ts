import type { CallOutcome, Source } from "../chain/source.ts";
import type { Queryable } from "../database/database.ts";
import type { Indexer } from "../indexer/types.ts";
import type { Address } from "../lib/hex.ts";
import type { ContractCall } from "./multicall.ts";

/** What a chore works with. What it asks the node ends with an error when the process stops. */
export interface JobContext {
  readonly chainId: number;
  readonly source: Pick<Source, "balances" | "calls" | "hashesOf" | "capabilities">;
  readonly database: Queryable;
  /** The only ways to write: see the indexer. */
  readonly exclusive: Indexer["exclusive"];
  readonly beside: Indexer["beside"];
  /** Read-only calls at a height, many in one where the chain has the multicall contract. */
  readonly multicall: (calls: readonly ContractCall[], height: number) => Promise<CallOutcome[]>;
  readonly clock: () => Date;
  readonly logger: { info(message: string): void };
}

/** Work beside the loop of one chain that is never done: it looks for something to do, does a bounded part of it, and looks again. */
export interface Job {
  readonly name: string;
  readonly everyMilliseconds: number;
  /** True where more is to be done at once. What is interrupted is found again by the next look. */
  run(context: JobContext): Promise<boolean>;
}

export interface SchedulerDeps extends Omit<JobContext, "multicall" | "logger"> {
  readonly jobs: readonly Job[];
  readonly multicall: Address;
  /** Whether this process writes the chain and has come to its head; else chores wait. */
  readonly isReady: () => boolean;
  readonly logger: { info(message: string): void; warn(message: string): void };
  readonly pauseMilliseconds?: number;
}
