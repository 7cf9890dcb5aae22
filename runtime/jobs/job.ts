import type { CallOutcome, Source } from "../chain/source.ts";
import type { Queryable } from "../database/database.ts";
import type { Indexer } from "../indexer/types.ts";
import type { ContractCall } from "./multicall.ts";

/** Background work that runs repeatedly; each run does a bounded portion of what is due. */
export interface Job<Context = JobContext> {
  /** In log messages, in the form of `compare-allowances`. */
  readonly name: string;
  /** The interval between two runs while there is nothing more to do. */
  readonly intervalMilliseconds: number;
  /** Does one portion; true if more is due immediately. A run after an interrupted one continues its work. */
  run(context: Context): Promise<boolean>;
}

/** The dependencies of a job of one chain. Reads of the node reject when the process stops. */
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
