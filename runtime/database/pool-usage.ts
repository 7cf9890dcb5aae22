import { createHistogram, type Histogram } from "../lib/histogram.ts";

/** Counts for a database's pools since the start, as plain numbers. */
export interface PoolUsage {
  /** How many seconds each use of a connection took: a statement, or an entire transaction. */
  readonly statements: Histogram;
  /** Seconds that requests waited for a connection; those that did not wait are not counted. */
  readonly waits: Histogram;
  /** Requests that are waiting for a connection. */
  waitingCount: number;
  /** The number of connection uses that ended with an error. */
  failedCount: number;
}

/** The usage with the currently open connections. */
export interface CurrentPoolUsage extends Readonly<PoolUsage> {
  readonly connections: { readonly busy: number; readonly idle: number };
  /** Max connections. */
  readonly size: number;
}

/** In seconds: from a lookup by key to the default statement timeout. */
const statementBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const waitBounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** Creates a new pool's usage. */
export const createPoolUsage = (): PoolUsage => ({
  statements: createHistogram(statementBounds),
  waits: createHistogram(waitBounds),
  waitingCount: 0,
  failedCount: 0,
});
