/** Intervals of the jobs that read allowances, in milliseconds. */
export interface AllowanceReadSettings {
  /** Between two reads of allowances in doubt. */
  readonly readMilliseconds: number;
  /** Between two portions of the sweep. */
  readonly sweepMilliseconds: number;
  /** The first wait before a token is read again whose contract returned no allowance. */
  readonly deferMilliseconds: number;
}

export const defaultAllowanceReadSettings: AllowanceReadSettings = {
  readMilliseconds: 1_000,
  sweepMilliseconds: 15_000,
  deferMilliseconds: 30_000,
};

/** Pairs that one run reads, in all and of one token. */
export const maxPairs = 200;
export const maxPairsOfToken = 90;
/** Allowances of a pair that are read at once. */
export const sliceSize = 90;
/** Slices of one run. A pair with more allowances stays in doubt: so many are likely only where a contract emits false events. */
export const maxSlices = 50;
/** Failed attempts after which a pair is not read until the token of its owner is transferred again. */
export const maxAttempts = 10;
