import { type BatchDeps, beginBatch, writeBatch } from "../ingest/batch.ts";
import type { Projection } from "../projection.ts";
import { readingLoads } from "../state/reading-loads.ts";
import { createStateCache } from "../state/state-cache.ts";
import { readCheckpoints } from "../storage/checkpoints.ts";
import type { StoredLedger } from "../storage/stored-ledger.ts";
import type { Progress } from "./progress.ts";

/**
 * Brings a projection one batch nearer to the ledger, out of the stored blocks. True once it is level with the ledger: from then on the loop carries it.
 * To be called while nothing else writes.
 */
export const catchUpOnce = async (
  deps: BatchDeps,
  ledger: StoredLedger,
  projection: Projection,
  size: { readonly transactions: number; readonly blocks: number },
  onProgress: ((progress: Progress) => void) | undefined,
  signal: AbortSignal,
): Promise<boolean> => {
  const checkpoints = await readCheckpoints(deps.database, deps.chainId);
  const target = checkpoints.get(ledger.projection.id)?.block ?? -1;
  const done = checkpoints.get(projection.id)?.block ?? target;
  if (done >= target) return true;
  const event = { phase: "catch-up", projection: projection.id, from: deps.facts.from, target } as const;
  if (done < deps.facts.from) onProgress?.({ ...event, block: done, blocks: 0, transactions: 0, rows: 0 });
  const to = Math.min(target, (await ledger.heightAfter(done + 1, size.transactions, size.blocks)) ?? target);
  const blocks = await deps.stopwatch.time("fetch", () => ledger.blocks(done + 1, to, deps.facts.nativeAccounting));
  const batch = beginBatch(deps, createStateCache([projection], { own: readingLoads }), [projection]);
  const prepared = (await batch.add(blocks, signal)) ? batch.finish() : null;
  if (prepared === null) return false;
  const rows = await writeBatch(deps, prepared, false);
  onProgress?.({ ...event, block: to, blocks: blocks.length, transactions: prepared.transactions, rows });
  return to === target;
};
