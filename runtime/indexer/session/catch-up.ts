import { type BatchDeps, createBatch, nodeReadLoads } from "../ingest/batch.ts";
import type { Projection } from "../projection.ts";
import { createStateCache, type StateCache } from "../state/state-cache.ts";
import { readCheckpoints } from "../storage/checkpoints.ts";
import { type WriteBatchDeps, writeBatch } from "../storage/write-batch.ts";
import type { StoredLedger, Tuning } from "../types.ts";
import type { IndexSession } from "./index-session.ts";
import type { Progress } from "./progress.ts";

export interface CatchUpDeps extends BatchDeps, WriteBatchDeps {
  readonly ledger: StoredLedger;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** The max number of ledger blocks that one batch reads, and of transactions in them. */
export interface CatchUpSize {
  readonly maxTransactions: number;
  readonly maxBlocks: number;
}

/** Lets each projection that is behind catch up with the ledger, one batch at a time, and joins it. */
export const catchUp = async (session: IndexSession, deps: () => CatchUpDeps, size: CatchUpSize, signal: AbortSignal): Promise<void> => {
  for (const projection of session.projections) {
    const provideCache = createCacheProvider(session, projection);
    while (!signal.aborted && !session.joined.includes(projection)) {
      await session.exclusively(async () => {
        if (await catchUpOnce(deps(), projection, size, signal, provideCache)) session.join(projection);
      });
    }
  }
};

/**
 * Provides the cache that a projection's next batch is folded from. A projection that depends only on logs keeps one cache until the session
 * replaces its cache, because another writer may have changed rows. Other projections get a new cache for each batch, because they also
 * load stored node responses, to which the session's batches add.
 */
const createCacheProvider = (session: Pick<IndexSession, "cache">, { topics }: Projection) => {
  let kept: { readonly sessionCache: StateCache; readonly cache: StateCache } | null = null;
  return (create: () => StateCache): StateCache => {
    if (topics === undefined) return create();
    if (kept?.sessionCache !== session.cache) kept = { sessionCache: session.cache, cache: create() };
    return kept.cache;
  };
};

/** The batch size while catching up: a batch's blocks are read together, so they are limited like all concurrent requests to a node. */
export const catchUpSizeOf = (tuning: Tuning): CatchUpSize => ({
  maxTransactions: Math.min(tuning.batchTransactions, tuning.requestTransactions * tuning.requestsInFlight),
  maxBlocks: Math.min(tuning.batchBlocks, tuning.requestBlocks * tuning.requestsInFlight),
});

/** Adds one batch of stored blocks to a projection; true once the projection has caught up. Must be called while nothing else writes. */
export const catchUpOnce = async (
  deps: CatchUpDeps,
  projection: Projection,
  size: CatchUpSize,
  signal: AbortSignal,
  provideCache = (create: () => StateCache): StateCache => create(),
): Promise<boolean> => {
  const { database, chainId, facts, ledger, onProgress } = deps;
  const checkpoints = await readCheckpoints(database, chainId);
  const target = checkpoints.get(ledger.projection.id)?.block ?? -1;
  const done = checkpoints.get(projection.id)?.block ?? target;
  if (done >= target) return true;
  const event = { phase: "catch-up", projection: projection.id, from: facts.from, target } as const;
  if (done < facts.from) onProgress?.({ ...event, block: done, blockCount: 0, transactionCount: 0, rowCount: 0 });
  const to = Math.min(target, (await ledger.batchEnd(done + 1, size.maxTransactions, size.maxBlocks)) ?? target);
  const { topics } = projection;
  const blocks = await deps.stopwatch.time("fetch", () =>
    topics === undefined ? ledger.blocks(done + 1, to, facts.nativeAccounting) : ledger.blocksWithLogs(done + 1, to, topics),
  );
  const isNew = done < facts.from;
  const cache = provideCache(() => createStateCache({ database, chainId, projections: [projection], nodeReads: nodeReadLoads, isNew }));
  const batch = createBatch(deps, cache, [projection]);
  const prepared = (await batch.add(blocks, signal)) ? batch.finish() : null;
  if (prepared === null) return false;
  const rows = await writeBatch(deps, prepared, false);
  onProgress?.({ ...event, block: to, blockCount: blocks.length, transactionCount: prepared.transactionCount, rowCount: rows });
  return to === target;
};
