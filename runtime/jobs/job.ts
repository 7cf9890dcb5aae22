import type { CallOutcome, Source } from "../chain/source.ts";
import type { Queryable } from "../database/database.ts";
import type { Indexer } from "../indexer/types.ts";
import type { ContractCall } from "./multicall.ts";

/** Background work that is never finished: it looks for something to do, does a bounded portion of it, and looks again. */
export interface Job<Context = JobContext> {
  /** In log messages, in the form of `compare-allowances`. */
  readonly name: string;
  /** The interval between two runs while there is nothing more to do. */
  readonly everyMilliseconds: number;
  /** True if more can be done at once. The next run finds what an interrupted one left. */
  run(context: Context): Promise<boolean>;
}

/** What a job of a chain works with. Reads of the node reject when the process stops. */
export interface JobContext {
  readonly chainId: number;
  readonly source: Pick<Source, "balances" | "calls" | "hashesOf" | "capabilities">;
  readonly database: Queryable;
  /** The only ways to write: see the indexer. */
  readonly exclusive: Indexer["exclusive"];
  readonly beside: Indexer["beside"];
  /** Read-only calls at a height, batched where the chain has the multicall contract. */
  readonly multicall: (calls: readonly ContractCall[], height: number) => Promise<CallOutcome[]>;
  readonly clock: () => Date;
  readonly logger: { info(message: string): void };
}
