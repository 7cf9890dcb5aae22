/** What the indexer has just done. */
export interface Progress {
  readonly phase: "backfill" | "follow" | "catch-up" | "reorganisation";
  /** The one that catches up; null for all. */
  readonly projection: string | null;
  /** The first block of the index. */
  readonly from: number;
  /** Indexed up to here. */
  readonly block: number;
  /** Where it is going. */
  readonly target: number;
  readonly blocks: number;
  readonly transactions: number;
  readonly rows: number;
}

export type Step = "fetch" | "decode" | "load" | "read" | "fold" | "write";

/** Milliseconds by step. */
export const createStopwatch = () => {
  const spent: Record<Step, number> = { fetch: 0, decode: 0, load: 0, read: 0, fold: 0, write: 0 };
  return {
    spent: spent as Readonly<Record<Step, number>>,
    timeNow: <T>(step: Step, work: () => T): T => {
      const start = performance.now();
      try {
        return work();
      } finally {
        spent[step] += performance.now() - start;
      }
    },
    time: async <T>(step: Step, work: () => T | Promise<T>): Promise<T> => {
      const start = performance.now();
      try {
        return await work();
      } finally {
        spent[step] += performance.now() - start;
      }
    },
  };
};

export type Stopwatch = ReturnType<typeof createStopwatch>;
