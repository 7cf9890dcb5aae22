import { runDetached, untilAborted } from "./active-request.ts";

/** How long a load may delay the next one: a statement whose connection hangs must not stop all requests. */
const maxWaitMilliseconds = 1_000;

/**
 * Merges concurrent loads. While a load runs, later calls wait for it and then share the next one, which starts after one second at the latest. Each call
 * receives the result from a load that started after it, which is as current as a separate load's. A load belongs to no request: a request
 * that aborts stops waiting for it.
 */
export function shareLoads<Key, Result>(load: (keys: readonly Key[]) => Promise<Result>): (keys: readonly Key[]) => Promise<Result> {
  let running: Promise<unknown> | undefined;
  let next: { readonly keys: Set<Key>; readonly result: Promise<Result> } | undefined;
  return (keys) => {
    if (next === undefined) {
      const requested = new Set<Key>();
      const result = runDetached(() =>
        settledOrLate(running).then(() => {
          next = undefined;
          return load([...requested]);
        }),
      );
      // A failed load rejects its own calls only.
      running = result.catch(() => undefined);
      next = { keys: requested, result };
    }
    for (const key of keys) next.keys.add(key);
    return untilAborted(next.result);
  };
}

const settledOrLate = (running: Promise<unknown> | undefined): Promise<void> =>
  running === undefined
    ? Promise.resolve()
    : new Promise((resolve) => {
        const timer = setTimeout(resolve, maxWaitMilliseconds);
        timer.unref();
        void running.then(() => {
          clearTimeout(timer);
          resolve();
        });
      });
