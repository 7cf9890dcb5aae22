/** Limits on keys and waiting requests, too high for a load with a few keys to reach; they are still checked. */
export const raisedLimits = {
  concurrentRequests: 1_000,
  databaseSecondsPerMinute: 1_000_000,
  bytesInFlight: 1024 ** 3,
  waitingRequests: 1_000,
};
