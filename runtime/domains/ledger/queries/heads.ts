import type { Database } from "../../../database/database.ts";
import type { Notifications } from "../../../database/notifications.ts";
import { noOutage, type PrimaryOutage } from "../../../database/primary-outage.ts";
import type { CacheLoads } from "../../../lib/cache-loads.ts";
import { createProgressQueries, type Progress, type ProgressQueries } from "./progress.ts";

/** The heads of chains, cached while the database reports changes. */
export interface Heads extends ProgressQueries {
  /**
   * The progress of a chain; undefined before its first block. It is not older than the last notified change, and at most one second old if a notification is
   * late or lost, except during an outage of the primary. The same object is returned until something in it changes, so that it can be a cache key.
   */
  headOf(chainId: number): Promise<Progress | undefined>;
  /**
   * Calls the listener when a load finds that a chain's progress has changed; each notification causes a load. Returns a function that removes the listener.
   */
  onHead(listener: HeadListener): () => void;
  /** Stops loading on notifications. */
  stop(): void;
}

/** Called with the new progress of a chain; undefined after its index was deleted. */
export type HeadListener = (chainId: number, progress: Progress | undefined) => void;

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
  const lastKnown = new Map<number, Progress | undefined>();
  const listeners = new Set<HeadListener>();
  /** Returns the stored object if it equals the loaded progress. Otherwise replaces it and calls the listeners. */
  const remember = (chainId: number, loaded: Progress | undefined): Progress | undefined => {
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
  const lastProgress = (requested: readonly number[]): ReadonlyMap<number, Progress> | undefined => {
    const found = new Map<number, Progress>();
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
    headOf: async (chainId) => (await progressOf([chainId])).get(chainId),
    onHead(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop: () => unsubscribe?.(),
  };
}

const isSame = (left: Progress, right: Progress): boolean =>
  left.content?.id === right.content?.id &&
  left.head === right.head &&
  left.hash === right.hash &&
  left.first === right.first &&
  left.isRemoved === right.isRemoved &&
  left.checkpoints.size === right.checkpoints.size &&
  [...left.checkpoints].every(([projection, block]) => right.checkpoints.get(projection) === block) &&
  left.failed.size === right.failed.size &&
  [...left.failed].every((projection) => right.failed.has(projection));
