/** How fast work goes, and how long it will take at that; null where it cannot be said yet. */
export interface Rates {
  readonly donePerSecond: number | null;
  readonly rowsPerSecond: number | null;
  readonly secondsLeft: number | null;
}

const unknown: Rates = { donePerSecond: null, rowsPerSecond: null, secondsLeft: null };

interface Sample {
  readonly time: number;
  readonly done: number;
  readonly rows: number;
}

/** Over which time rates are means: long enough for batches to even out, short enough to follow a chain whose blocks grow. */
const windowMilliseconds = 20_000;
/** Below it, a rate says more of the clock than of the work. */
const shortestMilliseconds = 500;

/** Rates of one piece of work over a sliding window, by a clock in milliseconds. What was done before the first note counts for nothing. */
export const createRates = (clock: () => number) => {
  let samples: Sample[] = [];
  let rows = 0;

  /** The window's samples, the last one before it being where it begins. */
  const forget = (now: number): void => {
    const beginning = samples.findLastIndex(({ time }) => time <= now - windowMilliseconds);
    if (beginning > 0) samples = samples.slice(beginning);
  };

  return {
    /** `done` steps were done by now, and so many more rows written. Fewer steps than before begin anew: a chain was reorganised. */
    note(done: number, newRows: number): void {
      const now = clock();
      if (done < (samples.at(-1)?.done ?? 0)) samples = [];
      rows += newRows;
      samples.push({ time: now, done, rows });
      forget(now);
    },
    /** The rates by now, or when the work was done; what has stood still for the whole window has a rate of 0 and no end. */
    of(total: number): Rates {
      const last = samples.at(-1);
      if (last === undefined) return unknown;
      const now = last.done >= total ? last.time : clock();
      forget(now);
      const first = samples[0] ?? last;
      // With one note alone, nothing was seen of the work until a whole window has passed without another.
      const seen = samples.length > 1 ? shortestMilliseconds : windowMilliseconds;
      if (now - first.time < seen) return unknown;
      const perSecond = (amount: number): number => (amount * 1_000) / (now - first.time);
      const donePerSecond = perSecond(last.done - first.done);
      const secondsLeft = donePerSecond > 0 ? Math.max(0, total - last.done) / donePerSecond : null;
      return { donePerSecond, rowsPerSecond: perSecond(last.rows - first.rows), secondsLeft };
    },
  };
};

export type RatesOfWork = ReturnType<typeof createRates>;
