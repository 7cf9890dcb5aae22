import type { Mutex } from "../../lib/async.ts";
import { type Leadership, LeadershipLostError } from "../leader/leader.ts";
import type { Projection } from "../projection.ts";
import { CheckpointMovedError, lockCheckpoints } from "../storage/checkpoints.ts";
import type { Indexer, IndexerDeps } from "../types.ts";
import type { Loop } from "./loop.ts";

export interface ExclusiveDeps extends Pick<IndexerDeps, "chain" | "database" | "ledger"> {
  readonly all: readonly Projection[];
  readonly loop: Loop;
  readonly lock: Mutex;
  readonly guard: Leadership["guard"];
  /** Runs when the work is over, however it ended. */
  readonly finish?: () => void;
}

/** Work of others between two batches. @throws {CheckpointMovedError} when the index is not where the loop left it. */
export const createExclusive =
  ({ chain, database, ledger, all, loop, lock, guard, finish }: ExclusiveDeps): Indexer["exclusive"] =>
  (work) =>
    lock(async () => {
      const { block, hash } = loop.position;
      if (loop.leadership === null || hash === null || all.some((projection) => !loop.joined.has(projection))) return null;
      const { id } = ledger.projection;
      try {
        return await database.transaction(async (client) => {
          if ((await lockCheckpoints(client, chain.id)).get(id)?.block !== block) throw new CheckpointMovedError(id);
          await guard(client);
          return work(client, { number: block, hash });
        });
      } catch (error) {
        if (error instanceof LeadershipLostError) return null;
        throw error;
      } finally {
        finish?.();
      }
    });
