/** An indexing step. */
export type Step = "fetch" | "decode" | "load" | "read" | "fold" | "write";

export type Stopwatch = ReturnType<typeof createStopwatch>;

/** Sums the milliseconds that each step takes. */
export const createStopwatch = () => {
  const millisecondsByStep: Record<Step, number> = { fetch: 0, decode: 0, load: 0, read: 0, fold: 0, write: 0 };
  return {
    millisecondsByStep: millisecondsByStep as Readonly<Record<Step, number>>,
    timeSync: <T>(step: Step, work: () => T): T => {
      const start = performance.now();
      try {
        return work();
      } finally {
        millisecondsByStep[step] += performance.now() - start;
      }
    },
    time: async <T>(step: Step, work: () => T | Promise<T>): Promise<T> => {
      const start = performance.now();
      try {
        return await work();
      } finally {
        millisecondsByStep[step] += performance.now() - start;
      }
    },
  };
};
