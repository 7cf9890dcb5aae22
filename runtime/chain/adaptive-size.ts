/** The successes required before a failed size is tried again; each additional failure doubles the number. */
const minSuccesses = 16;
const maxSuccesses = 1_024;
/** The successes required before a size grows to a size below the smallest failed one. */
const successesBelowFailed = 4;

/**
 * A size that adapts to a limit: it is halved when it is too large, and grows by half up to just below the smallest failed size, which is rarely tried
 * again.
 */
export interface AdaptiveSize {
  current(): number;
  /** Reports that a size was too large; no effect if the current size is already smaller. */
  reportTooLarge(tried: number): void;
  /** Reports that a request of a size succeeded. */
  reportSuccess(tried: number): void;
}

/** An adaptive size between 1 and `max`. */
export const createAdaptiveSize = (max: number): AdaptiveSize => {
  let size = max;
  let successes = 0;
  /** The smallest size that failed since its last success. */
  let failedSize = Number.POSITIVE_INFINITY;
  let successesNeeded = minSuccesses;

  const grow = (newSize: number, minimum: number): void => {
    if (successes < minimum) return;
    successes = 0;
    size = Math.min(max, newSize);
  };

  return {
    current: () => size,
    reportTooLarge: (tried) => {
      if (tried > size) return;
      if (tried >= failedSize) successesNeeded = Math.min(maxSuccesses, successesNeeded * 2);
      failedSize = tried;
      successes = 0;
      size = Math.max(1, Math.floor(tried / 2));
    },
    reportSuccess: (tried) => {
      // A smaller request does not show whether the current size is accepted.
      if (tried < size) return;
      if (tried >= failedSize) {
        failedSize = Number.POSITIVE_INFINITY;
        successesNeeded = minSuccesses;
      }
      successes += 1;
      if (size + 1 >= failedSize) grow(size + 1, successesNeeded);
      else grow(Math.min(size + Math.max(1, Math.floor(size / 2)), failedSize - 1), successesBelowFailed);
    },
  };
};
