/** The number of iterations of the event loop while work runs: work that never waits for its next turn has hardly any. */
export async function countIterations(work: () => Promise<unknown>): Promise<number> {
  let iterations = 0;
  let isRunning = true;
  const count = (): void => {
    iterations += 1;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isRunning = false;
  return iterations;
}
