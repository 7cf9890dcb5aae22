/** How often, how soon and how much the settling of balances does. */
export interface ReconciliationSettings {
  /** Between two looks for balances that wait for the node. */
  readonly readMilliseconds: number;
  /** Between two comparisons of balances that were touched of late. */
  readonly checkMilliseconds: number;
  /** Between two portions of the comparison of all tokens. */
  readonly sweepMilliseconds: number;
  /** Between a token's first two comparisons; each later pause is twice as long, up to `recheckMilliseconds`. */
  readonly firstRecheckMilliseconds: number;
  readonly recheckMilliseconds: number;
  /** At most between two comparisons of a token that requests asked for, and of all its holders. */
  readonly requestedMilliseconds: number;
  /** At least between two comparisons of a token that is called without moving anything. */
  readonly quietMilliseconds: number;
  /** How long after a difference it is looked for again before it counts. */
  readonly confirmMilliseconds: number;
  /** How long a token whose contract gives no answer is left alone, the first time. */
  readonly backoffMilliseconds: number;
  /** Between two portions of the owners that are asked anew, and after which a token's owners are. */
  readonly refreshMilliseconds: number;
  readonly refreshAgainMilliseconds: number;
}

export const defaultReconciliation: ReconciliationSettings = {
  readMilliseconds: 1_000,
  checkMilliseconds: 5_000,
  sweepMilliseconds: 5_000,
  firstRecheckMilliseconds: 120_000,
  recheckMilliseconds: 86_400_000,
  requestedMilliseconds: 3_600_000,
  quietMilliseconds: 60_000,
  confirmMilliseconds: 20_000,
  backoffMilliseconds: 30_000,
  refreshMilliseconds: 5_000,
  refreshAgainMilliseconds: 3_600_000,
};

/** Balances that are compared or asked anew in one look: one aggregate of calls. */
export const maxComparisons = 90;
