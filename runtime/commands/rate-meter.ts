/** A task's rates and the estimated time left; null while they are unknown. */
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

/** The window over which rates are averaged: long enough to smooth out batches, short enough to reflect growing blocks. */
const windowMilliseconds = 20_000;
/** Rates over shorter times are dominated by the clock's resolution. */
const minMilliseconds = 500;

/** Measures a task's rates over a sliding window, with a clock in milliseconds. Steps before the first record are not counted. */
export const createRateMeter = (clock: () => number) => {
  let samples: Sample[] = [];
  let rows = 0;

  /** Drops samples before the window, except the last of them, at which the window starts. */
  const dropOld = (now: number): void => {
    const first = samples.findLastIndex(({ time }) => time <= now - windowMilliseconds);
    if (first > 0) samples = samples.slice(first);
  };

  return {
    /** Records the steps completed so far and the rows written since the last record. Fewer steps (after a reorganisation) restart the measurement. */
    record(done: number, newRows: number): void {
      const now = clock();
      if (done < (samples.at(-1)?.done ?? 0)) samples = [];
      rows += newRows;
      samples.push({ time: now, done, rows });
      dropOld(now);
    },
    /** The current rates, or those at the task's end. A task that made no progress during the entire window has a rate of 0 and no estimate. */
    get(total: number): Rates {
      const last = samples.at(-1);
      if (last === undefined) return unknown;
      const now = last.done >= total ? last.time : clock();
      dropOld(now);
      const first = samples[0] ?? last;
      // After a single record, the rate is unknown until the window passes with no second one.
      const needed = samples.length > 1 ? minMilliseconds : windowMilliseconds;
      if (now - first.time < needed) return unknown;
      const perSecond = (amount: number): number => (amount * 1_000) / (now - first.time);
      const donePerSecond = perSecond(last.done - first.done);
      const secondsLeft = donePerSecond > 0 ? Math.max(0, total - last.done) / donePerSecond : null;
      return { donePerSecond, rowsPerSecond: perSecond(last.rows - first.rows), secondsLeft };
    },
  };
};

export type RateMeter = ReturnType<typeof createRateMeter>;
