/** Intervals of the jobs that read allowances, in milliseconds. */
export interface AllowanceReadSettings {
  /** Between two reads of allowances in doubt. */
  readonly readMilliseconds: number;
  /** Between two portions of the sweep. */
  readonly sweepMilliseconds: number;
  /** The first wait before a token whose contract returned no allowance is read again. */
  readonly deferMilliseconds: number;
}

export const defaultAllowanceReadSettings: AllowanceReadSettings = {
  readMilliseconds: 1_000,
  sweepMilliseconds: 15_000,
  deferMilliseconds: 30_000,
};

/** Max pairs that one run reads, in total and per token. */
export const maxPairs = 200;
export const maxPairsOfToken = 90;
/** Max allowances of a pair in one slice. */
export const sliceSize = 90;
/** Max slices of one run. A pair with more allowances stays in doubt: that many are likely only where a contract emits false events. */
export const maxSlices = 50;
/** Failed attempts after which a pair is not read until the token of its owner is transferred again. */
export const maxAttempts = 10;
