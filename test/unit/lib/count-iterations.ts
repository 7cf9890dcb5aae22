/** Counts the iterations of the event loop while work runs. There are hardly any if the work never waits for its next turn. */
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
