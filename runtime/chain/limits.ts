/** Successes before a size grows to the one that failed; doubled with each further failure. */
const minSuccesses = 16;
const maxSuccesses = 1_024;
/** Successes before a size grows that is still below the smallest failed one. */
const successesBelowFailed = 4;

/** A size that adapts to a limit: halved when it was too large, grown by half up to the smallest failed size, and rarely beyond it. */
export interface AdaptiveSize {
  current(): number;
  /** `tried` was too large. A smaller current size is kept. */
  shrink(tried: number): void;
  succeed(tried: number): void;
}

/** An adaptive size between 1 and `max`. */
export const createAdaptiveSize = (max: number): AdaptiveSize => {
  let size = max;
  let successes = 0;
  /** The smallest size that failed since its last success. */
  let failed = Number.POSITIVE_INFINITY;
  let successesNeeded = minSuccesses;

  const grow = (to: number, after: number): void => {
    if (successes < after) return;
    successes = 0;
    size = Math.min(max, to);
  };

  return {
    current: () => size,
    shrink: (tried) => {
      if (tried > size) return;
      if (tried >= failed) successesNeeded = Math.min(maxSuccesses, successesNeeded * 2);
      failed = tried;
      successes = 0;
      size = Math.max(1, Math.floor(tried / 2));
    },
    succeed: (tried) => {
      // A smaller request does not show whether the current size is accepted.
      if (tried < size) return;
      if (tried >= failed) {
        failed = Number.POSITIVE_INFINITY;
        successesNeeded = minSuccesses;
      }
      successes += 1;
      if (size + 1 >= failed) grow(size + 1, successesNeeded);
      else grow(Math.min(size + Math.max(1, Math.floor(size / 2)), failed - 1), successesBelowFailed);
    },
  };
};
