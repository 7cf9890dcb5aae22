import type { ConfiguredContracts } from "../../runtime/domains/community/contracts-on-chain.ts";
import type { CommitTime } from "./tenths.ts";

/** The options that runs of the indexer and of the baselines share. */
export interface RunOptions {
  readonly rpc: string;
  readonly chainId: number;
  /** The last block. */
  readonly head: number;
  readonly databaseUrl: string;
  readonly traces: boolean;
}

export interface IndexerOptions extends RunOptions {
  /** The ids of excluded projections; none by default. */
  readonly excluded?: readonly string[];
  /** Contracts of declared protocols; without them, no protocol is indexed. */
  readonly community?: ConfiguredContracts;
}

export interface BaselineOptions extends RunOptions {
  /** The database whose rows are copied, and its tables. */
  readonly rowsUrl: string;
  readonly tables: readonly string[];
  /** The form of the rows in memory when the clock starts: encoded text, or values. */
  readonly rowsAs: "text" | "values";
}

/** The result of a run: the process's wall time and CPU time, excluding its start and the loading of rows. */
export interface Timing {
  readonly milliseconds: number;
  readonly cpuSeconds: number;
  /** Milliseconds by step; steps of two batches may overlap. */
  readonly steps: Readonly<Record<string, number>>;
}

export interface IndexerRun extends Timing {
  readonly commitTimes: readonly CommitTime[];
}
