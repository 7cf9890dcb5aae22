/**
 * Runs work for all items with one worker for each resource. After a failure no more items are started, and the first failure is thrown once
 * all workers have ended.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  resources: readonly R[],
  work: (item: T, resource: R) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const failures: unknown[] = [];
  const run = async (resource: R): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined && failures.length === 0; item = waiting.shift()) {
      try {
        await work(item, resource);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(resources.map(run));
  if (failures.length > 0) throw failures[0];
}
