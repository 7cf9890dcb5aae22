import type { Database } from "../../database/database.ts";
import type { Hash } from "../../lib/hex.ts";
import type { Stopwatch } from "../ingest/stopwatch.ts";
import type { Leadership } from "../leader/leader.ts";
import type { Projection } from "../projection.ts";
import type { StateCache } from "../state/state-cache.ts";
import { advanceCheckpoints } from "./checkpoints.ts";
import { type BufferedRows, writeBuffers } from "./row-buffers.ts";

/** Folded blocks that are not written yet. */
export interface PreparedBatch {
  readonly projections: readonly Projection[];
  readonly blockCount: number;
  readonly transactionCount: number;
  /** The first block, the last block, and the last block's hash. */
  readonly firstBlock: number;
  readonly lastBlock: number;
  readonly lastBlockHash: Hash;
  readonly rows: readonly BufferedRows[];
  /** The cache that the rows were folded from. */
  readonly cache: Pick<StateCache, "isValid">;
}

export interface WriteBatchDeps {
  readonly database: Database;
  readonly chainId: number;
  readonly stopwatch: Stopwatch;
  /** Rejects the transaction if this process may no longer write. */
  readonly guard: Leadership["guard"];
}

/**
 * Writes a batch that follows the checkpoints of its projections and advances them, in one transaction, and returns the number of rows. A durable
 * commit waits for the disk; without it, a server crash may lose the last batches completely, which are then indexed again.
 */
export const writeBatch = (deps: WriteBatchDeps, batch: PreparedBatch, isDurable: boolean): Promise<number> =>
  deps.stopwatch.time("write", () =>
    deps.database.transaction(async (client) => {
      if (!isDurable) await client.query("SET LOCAL synchronous_commit = off");
      await advanceCheckpoints(client, deps.chainId, batch.projections, batch.firstBlock - 1, batch.lastBlock);
      await deps.guard(client);
      return writeBuffers(client, deps.chainId, batch.rows);
    }),
  );
