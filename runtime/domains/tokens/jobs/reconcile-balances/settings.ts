/** Intervals of the reconciliation jobs, in milliseconds. */
export interface ReconciliationSettings {
  /** Between two runs of the jobs that read missing values from the node. */
  readonly readMilliseconds: number;
  /** Between two comparisons of recently touched balances. */
  readonly checkMilliseconds: number;
  /** Between two portions of the sweep. */
  readonly sweepMilliseconds: number;
  /** Between a token's first two comparisons; doubles with each subsequent one, up to `maxRecheckMilliseconds`. */
  readonly firstRecheckMilliseconds: number;
  readonly maxRecheckMilliseconds: number;
  /** Max time between two comparisons of a requested token and of all its holders. */
  readonly requestedTokenIntervalMilliseconds: number;
  /** Min time between two comparisons of a token that receives quiet calls. */
  readonly minQuietCallIntervalMilliseconds: number;
  /** Min time between a difference and the comparison that confirms it. */
  readonly confirmMilliseconds: number;
  /** Initial backoff for a token whose contract does not respond. */
  readonly backoffMilliseconds: number;
  /** Between two portions of holders that are read again. */
  readonly refreshMilliseconds: number;
  /** Between two reads of all holders of a node-sourced token. */
  readonly tokenRefreshIntervalMilliseconds: number;
}

export const defaultReconciliationSettings: ReconciliationSettings = {
  readMilliseconds: 1_000,
  checkMilliseconds: 5_000,
  sweepMilliseconds: 5_000,
  firstRecheckMilliseconds: 120_000,
  maxRecheckMilliseconds: 86_400_000,
  requestedTokenIntervalMilliseconds: 3_600_000,
  minQuietCallIntervalMilliseconds: 60_000,
  confirmMilliseconds: 20_000,
  backoffMilliseconds: 30_000,
  refreshMilliseconds: 5_000,
  tokenRefreshIntervalMilliseconds: 3_600_000,
};

/** Max balances compared per run, which fit in one multicall. */
export const maxComparisons = 90;
