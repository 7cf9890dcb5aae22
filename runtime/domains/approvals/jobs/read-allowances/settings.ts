/** Intervals of the jobs that read allowances, in milliseconds. */
export interface AllowanceReadSettings {
  /** Between two reads of allowances in doubt. */
  readonly readMilliseconds: number;
  /** Between two portions of the sweep. */
  readonly sweepMilliseconds: number;
  /** Initial backoff for a token whose contract returned no allowance. */
  readonly backoffMilliseconds: number;
}

export const defaultAllowanceReadSettings: AllowanceReadSettings = {
  readMilliseconds: 1_000,
  sweepMilliseconds: 15_000,
  backoffMilliseconds: 30_000,
};

/** Max pairs that one run reads, in total and per token. */
export const maxPairs = 200;
export const maxPairsPerToken = 90;
/** Max allowances of a pair in one slice. */
export const sliceSize = 90;
/** Max slices per run. A pair with more allowances stays in doubt: only a contract that emits bogus events is likely to have that many. */
export const maxSlices = 50;
/** Max failed attempts to read a pair; the next transfer from the owner resets the count. */
export const maxAttempts = 10;
