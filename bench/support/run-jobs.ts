import type { Capabilities } from "../../runtime/chain/capabilities.ts";
import type { Database } from "../../runtime/database/database.ts";
import { lockCheckpoints } from "../../runtime/indexer/storage/checkpoints.ts";
import type { Indexer } from "../../runtime/indexer/types.ts";
import type { Job, JobContext } from "../../runtime/jobs/job.ts";
import type { Hash } from "../../runtime/lib/hex.ts";

/** A job's number of runs and its time until it had no more work. */
export interface JobTime {
  readonly name: string;
  readonly runs: number;
  readonly milliseconds: number;
}

const noCapabilities: Capabilities = {
  hasBlockReceipts: false,
  traceKind: null,
  hasOldTraces: false,
  hasFinalizedTag: false,
  hasArchiveState: false,
  hasStateByHash: false,
  hasWebSocket: null,
  batchSize: 1,
};
/** How long a job may run before it is considered endless. */
const maxWaitMilliseconds = 3_600_000;

/** Runs jobs in order, each until it has no more work, on an index without other writers. The jobs cannot call a node. */
export async function runJobs(database: Database, chainId: number, jobs: readonly Job[]): Promise<JobTime[]> {
  const context = contextOf(database, chainId);
  const times: JobTime[] = [];
  for (const job of jobs) {
    const started = performance.now();
    let runs = 1;
    while (await job.run(context)) {
      runs += 1;
      if (performance.now() - started > maxWaitMilliseconds)
        throw new Error(`Job ${job.name} did not finish in ${maxWaitMilliseconds / 1000} s`);
    }
    times.push({ name: job.name, runs, milliseconds: performance.now() - started });
  }
  return times;
}

function contextOf(database: Database, chainId: number): JobContext {
  const runExclusiveKeepingCache: Indexer["runExclusiveKeepingCache"] = (work) =>
    database.transaction(async (client) => {
      const checkpoints = await lockCheckpoints(client, chainId);
      const number = checkpoints.get("ledger")?.block ?? -1;
      const [block] = await client.query<{ hash: Hash }>("SELECT hash FROM blocks WHERE chain_id = $1 AND number = $2", [chainId, number]);
      return block === undefined ? null : work(client, { number, hash: block.hash });
    });
  const unexpectedRequest = (): Promise<never> => Promise.reject(new Error("Unexpected request to the node"));
  return {
    chainId,
    database,
    runExclusive: runExclusiveKeepingCache,
    runExclusiveKeepingCache,
    source: { capabilities: noCapabilities, balances: unexpectedRequest, runCalls: unexpectedRequest, hashesOf: unexpectedRequest },
    multicall: unexpectedRequest,
    clock: () => new Date(),
    logger: { info: () => undefined },
  };
}
