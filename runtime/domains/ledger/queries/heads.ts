import type { Database } from "../../../database/database.ts";
import type { Notifications } from "../../../database/notifications.ts";
import { noOutage, type PrimaryOutage } from "../../../database/primary-outage.ts";
import type { CacheLoads } from "../../../lib/cache-loads.ts";
import { createProgressQueries, type IndexProgress, type ProgressQueries } from "./progress.ts";

/** The heads of chains, cached while the database reports changes. */
export interface Heads extends ProgressQueries {
  /**
   * The progress of a chain; undefined before its first block. It is not older than the last notified change, and at most one second old if a notification is
   * late or lost, except during an outage of the primary. The same object is returned until something in it changes, so that it can be a cache key.
   */
  progressOfChain(chainId: number): Promise<IndexProgress | undefined>;
  /**
   * Calls the listener when a load finds that a chain's progress has changed; each notification causes a load. Returns a function that removes the listener.
   */
  onProgress(listener: ProgressListener): () => void;
  /** Stops loading on notifications. */
  stop(): void;
}

/** Called with the new progress of a chain; undefined after its index was deleted. */
export type ProgressListener = (chainId: number, progress: IndexProgress | undefined) => void;

/** Dependencies of the heads; `cache` is created by `createIndexCache` for the same notifications. */
export interface HeadDeps {
  readonly database: Pick<Database, "query">;
  readonly chainIds: readonly number[];
  readonly notifications: Notifications | undefined;
  readonly cache: CacheLoads;
  /** Provides the last known heads while the primary is lost; without it, loads fail. */
  readonly outage?: PrimaryOutage | undefined;
}

/** Creates the heads of chains. */
export function createHeads({ database, chainIds, notifications, cache, outage = noOutage }: HeadDeps): Heads {
  /** The last loaded progress by chain; undefined before the first block. */
  const lastKnown = new Map<number, IndexProgress | undefined>();
  const listeners = new Set<ProgressListener>();
  /** Returns the stored object if it equals the loaded progress. Otherwise replaces it and calls the listeners. */
  const remember = (chainId: number, loaded: IndexProgress | undefined): IndexProgress | undefined => {
    const before = lastKnown.get(chainId);
    if (before !== undefined && loaded !== undefined && isSame(before, loaded)) return before;
    lastKnown.set(chainId, loaded);
    if (loaded !== before) for (const listener of listeners) listener(chainId, loaded);
    return loaded;
  };
  const { progressOf: loadProgress } = createProgressQueries(database, (load) =>
    cache(async (requested) => {
      const loaded = await load(requested);
      return new Map(
        requested.flatMap((chainId) => {
          const progress = remember(chainId, loaded.get(chainId));
          return progress === undefined ? [] : [[chainId, progress] as const];
        }),
      );
    }),
  );
  const lastProgress = (requested: readonly number[]): ReadonlyMap<number, IndexProgress> | undefined => {
    const found = new Map<number, IndexProgress>();
    for (const chainId of requested) {
      const progress = lastKnown.get(chainId);
      if (progress !== undefined) found.set(chainId, progress);
      else if (!lastKnown.has(chainId)) return undefined;
    }
    return found;
  };
  const progressOf: ProgressQueries["progressOf"] = (requested) =>
    outage.load(
      () => loadProgress(requested),
      () => lastProgress(requested),
    );
  const unsubscribe = notifications?.subscribe((payload) => {
    // A failure is ignored here: the next request loads again.
    if (payload !== null && chainIds.length > 0) progressOf(chainIds).catch(() => undefined);
  });
  return {
    progressOf,
    progressOfChain: async (chainId) => (await progressOf([chainId])).get(chainId),
    onProgress(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop: () => unsubscribe?.(),
  };
}

const isSame = (left: IndexProgress, right: IndexProgress): boolean =>
  left.contentVersion?.id === right.contentVersion?.id &&
  left.head === right.head &&
  left.headHash === right.headHash &&
  left.firstBlock === right.firstBlock &&
  left.isBeingRemoved === right.isBeingRemoved &&
  left.checkpoints.size === right.checkpoints.size &&
  [...left.checkpoints].every(([projection, block]) => right.checkpoints.get(projection) === block) &&
  left.failedProjections.size === right.failedProjections.size &&
  [...left.failedProjections].every((projection) => right.failedProjections.has(projection));
