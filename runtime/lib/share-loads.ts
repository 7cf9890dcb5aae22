/**
 * Merges concurrent loads. At most one load runs at a time; calls that arrive meanwhile wait for it, and share the next one. The result of each call thus comes
 * from a load that started after the call, so it is as current as that of a load of its own.
 */
export function shareLoads<Key, Result>(load: (keys: readonly Key[]) => Promise<Result>): (keys: readonly Key[]) => Promise<Result> {
  let running: Promise<unknown> = Promise.resolve();
  let next: { readonly keys: Set<Key>; readonly result: Promise<Result> } | undefined;
  return (keys) => {
    if (next === undefined) {
      const requested = new Set<Key>();
      const result = running.then(() => {
        next = undefined;
        return load([...requested]);
      });
      // A failed load rejects its own calls only.
      running = result.catch(() => undefined);
      next = { keys: requested, result };
    }
    for (const key of keys) next.keys.add(key);
    return next.result;
  };
}
