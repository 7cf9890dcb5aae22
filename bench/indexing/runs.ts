import type { Point } from "./tenths.ts";

/** What a run of either kind is told. */
export interface RunOptions {
  readonly rpc: string;
  readonly chainId: number;
  /** Up to this block. */
  readonly head: number;
  readonly databaseUrl: string;
  readonly traces: boolean;
}

export interface IndexerOptions extends RunOptions {
  /** Projections that are left out, by id; none where it is not said. */
  readonly without?: readonly string[];
}

export interface BaselineOptions extends RunOptions {
  /** The database whose rows are copied, and its tables. */
  readonly rowsUrl: string;
  readonly tables: readonly string[];
  /** What lies in memory when the clock starts: the text that COPY takes, or values that are yet to be encoded. */
  readonly rowsAs: "text" | "values";
}

/** What every run tells: wall time and the process's own processor time, its start and its reading of rows left out. */
export interface Timing {
  readonly milliseconds: number;
  readonly processorSeconds: number;
  /** Milliseconds by step; steps of two batches may run at once. */
  readonly steps: Readonly<Record<string, number>>;
}

export interface IndexerRun extends Timing {
  readonly points: readonly Point[];
}
