import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";

/** What the loop below takes on the machine that the limits of time in tests are written for: two idle cores of 2.5 GHz. */
const referenceMilliseconds = 40;
const rounds = 40_000;

/** Hashes on one thread for a fixed number of rounds: a busy core takes longer, as the tests on it will. */
const measure = (): number => {
  const begun = performance.now();
  let digest = "";
  for (let round = 0; round < rounds; round += 1) digest = createHash("sha256").update(digest).update("calibration").digest("hex");
  return performance.now() - begun;
};

/** Test workers per core. Most of what a worker waits for (PostgreSQL, a node, another process) runs outside it. */
const workersPerCore = 2;

/** How many test files run at once. */
export const workers = workersPerCore * availableParallelism();

/** How much slower than the reference this machine is, at least 1: what limits of time in tests are multiplied by. */
export function measureSlowness(): number {
  // The first measurement includes compiling the loop.
  measure();
  const [, median = 0] = [measure(), measure(), measure()].sort((a, b) => a - b);
  // One core shares what two have: processes beside the workers wait for it too.
  const cores = Math.min(2, availableParallelism());
  return Math.max(1, (median / referenceMilliseconds) * (2 / cores));
}
