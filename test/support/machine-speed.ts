import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";

/** How long the loop below takes on the reference machine, for which time limits in tests are written: two idle 2.5 GHz cores. */
const referenceMilliseconds = 40;
const rounds = 40_000;

/** Times a fixed number of hashes on one thread. If the core is busy, they take longer, as do the tests. */
const measure = (): number => {
  const started = performance.now();
  let digest = "";
  for (let round = 0; round < rounds; round += 1) digest = createHash("sha256").update(digest).update("calibration").digest("hex");
  return performance.now() - started;
};

/** Test workers per core: a worker mostly waits for other processes, such as PostgreSQL and nodes. */
const workersPerCore = 2;

/** The number of test files that run in parallel. */
export const workerCount = workersPerCore * availableParallelism();

/** Returns how many times slower this machine is than the reference machine, at least 1. Time limits in tests are multiplied by it. */
export function measureSlowness(): number {
  // The first measurement includes compiling the loop.
  measure();
  const [, median = 0] = [measure(), measure(), measure()].sort((a, b) => a - b);
  // On a single core, the workers compete with the processes that they wait for.
  const cores = Math.min(2, availableParallelism());
  return Math.max(1, (median / referenceMilliseconds) * (2 / cores));
}
