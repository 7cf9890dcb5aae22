import type { FailureKind } from "../chain/request-failure.ts";
import { createHistogram, type Histogram, observe } from "../lib/histogram.ts";
import type { Progress } from "./session/progress.ts";

/** A chain indexer's counts since its process started. */
export interface IndexerCounts {
  blocks: number;
  transactions: number;
  rows: number;
  /** The number of blocks that each reorganisation replaced. */
  readonly reorganisations: Histogram;
  /** Requests to the node, and the calls in them. */
  requests: number;
  calls: number;
  /** Requests that failed completely, by failure kind. */
  readonly failures: Record<FailureKind, number>;
}

const depths = [1, 2, 3, 5, 10, 20, 50, 100];

/** Creates a chain's counts. */
export const createIndexerCounts = (): IndexerCounts => ({
  blocks: 0,
  transactions: 0,
  rows: 0,
  reorganisations: createHistogram(depths),
  requests: 0,
  calls: 0,
  failures: { size: 0, rate: 0, transient: 0, down: 0, final: 0 },
});

/** Counts an indexing loop event. Blocks that a projection reads to catch up are not counted again. */
export function countProgress(counts: IndexerCounts, { phase, blockCount, transactionCount, rowCount }: Progress): void {
  if (phase === "reorganisation") {
    observe(counts.reorganisations, blockCount);
    return;
  }
  counts.rows += rowCount;
  if (phase === "catch-up") return;
  counts.blocks += blockCount;
  counts.transactions += transactionCount;
}

/** Counts a request to the node; `failure` is null unless it failed completely. */
export function countRequest(counts: IndexerCounts, calls: number, failure: FailureKind | null): void {
  counts.requests += 1;
  counts.calls += calls;
  if (failure !== null) counts.failures[failure] += 1;
}
