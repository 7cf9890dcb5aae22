/** Limits of keys and of waiting requests that a load of a few keys does not reach; they are checked all the same. */
export const raisedLimits = {
  concurrentRequests: 1_000,
  databaseSecondsPerMinute: 1_000_000,
  bytesInFlight: 1024 ** 3,
  waitingRequests: 1_000,
};
