/** How often and how soon allowances are read. */
export interface ReadingSettings {
  /** Between two looks for allowances that are in doubt. */
  readonly readMilliseconds: number;
  /** Between two portions of those that nothing casts doubt on. */
  readonly sweepMilliseconds: number;
  /** How long a token whose contract gives no answer is left alone, the first time. */
  readonly deferMilliseconds: number;
}

export const defaultAllowanceReadSettings: ReadingSettings = {
  readMilliseconds: 1_000,
  sweepMilliseconds: 15_000,
  deferMilliseconds: 30_000,
};

/** Owners and tokens whose allowances are read in one look, and of one token. */
export const maxPairs = 200;
export const maxPairsOfToken = 90;
/** Allowances of a pair that are read at once, and how often in one look: with more, which only a contract's lies make likely, they stay in doubt. */
export const slice = 90;
export const maxSlices = 50;
/** Looks in which a contract may give no answer before it is asked no more, until tokens move again. */
export const maxAttempts = 10;
