const defaultPatience = 16;
const longestPatience = 1_024;
/** Successes before a size grows that is still below what has failed. */
const knownPatience = 4;

/** A size that is found out: halved when it was too much, grown by half while nothing is known against it, and seldom beyond what has failed. */
export interface AdaptiveSize {
  current(): number;
  /** `tried` was too much. A smaller size that was found meanwhile stays. */
  shrink(tried: number): void;
  succeed(tried: number): void;
}

/** An adaptive size between 1 and `most`. */
export const createAdaptiveSize = (most: number): AdaptiveSize => {
  let size = most;
  let successes = 0;
  /** The smallest size that failed since it last went well. */
  let failed = Number.POSITIVE_INFINITY;
  let patience = defaultPatience;

  const grow = (to: number, after: number): void => {
    if (successes < after) return;
    successes = 0;
    size = Math.min(most, to);
  };

  return {
    current: () => size,
    shrink: (tried) => {
      if (tried > size) return;
      if (tried >= failed) patience = Math.min(longestPatience, patience * 2);
      failed = tried;
      successes = 0;
      size = Math.max(1, Math.floor(tried / 2));
    },
    succeed: (tried) => {
      // A request that was smaller than allowed says nothing about a larger one.
      if (tried < size) return;
      if (tried >= failed) {
        failed = Number.POSITIVE_INFINITY;
        patience = defaultPatience;
      }
      successes += 1;
      if (size + 1 >= failed) grow(size + 1, patience);
      else grow(Math.min(size + Math.max(1, Math.floor(size / 2)), failed - 1), knownPatience);
    },
  };
};
