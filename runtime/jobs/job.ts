import type { CallOutcome, Source } from "../chain/source.ts";
import type { Queryable } from "../database/database.ts";
import type { Indexer } from "../indexer/types.ts";
import type { ContractCall } from "./multicall.ts";

/** Background work that runs repeatedly; each run does a bounded portion of what is due. */
export interface Job<Context = JobContext> {
  /** The name in log messages, such as `compare-allowances`. */
  readonly name: string;
  /** The interval between runs if nothing more is due. */
  readonly intervalMilliseconds: number;
  /** Does one portion; returns true if more is due immediately. An interrupted run is continued by the next one. */
  run(context: Context): Promise<boolean>;
}

/** What a chain's jobs depend on. Node reads reject when the process stops. */
export interface JobContext {
  readonly chainId: number;
  readonly source: Pick<Source, "balances" | "runCalls" | "hashesOf" | "capabilities">;
  readonly database: Queryable;
  /** The only ways to write to the database; see `Indexer`. */
  readonly runExclusive: Indexer["runExclusive"];
  readonly runExclusiveKeepingCache: Indexer["runExclusiveKeepingCache"];
  /** Read-only calls at a height, batched if the chain has the multicall contract. */
  readonly multicall: (calls: readonly ContractCall[], height: number) => Promise<CallOutcome[]>;
  readonly clock: () => Date;
  readonly logger: { info(message: string): void };
}
