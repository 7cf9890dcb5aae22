import type { Capabilities } from "../../runtime/chain/capabilities.ts";
import type { Database } from "../../runtime/database/database.ts";
import { lockCheckpoints } from "../../runtime/indexer/storage/checkpoints.ts";
import type { Indexer } from "../../runtime/indexer/types.ts";
import type { Job, JobContext } from "../../runtime/jobs/job.ts";
import type { Hash } from "../../runtime/lib/hex.ts";

/** What a job took until it had nothing more to do. */
export interface JobTime {
  readonly name: string;
  readonly turns: number;
  readonly milliseconds: number;
}

const noCapabilities: Capabilities = {
  blockReceipts: false,
  traces: null,
  oldTraces: false,
  finalizedTag: false,
  archiveState: false,
  stateByHash: false,
  webSocket: null,
  batchSize: 1,
};
/** A job that is not done by then goes on for ever. */
const patienceMilliseconds = 3_600_000;

/** Runs jobs in order, each until it has no more work, on an index without other writers. The jobs have no node. */
export async function runJobs(database: Database, chainId: number, jobs: readonly Job[]): Promise<JobTime[]> {
  const context = contextOf(database, chainId);
  const times: JobTime[] = [];
  for (const job of jobs) {
    const started = performance.now();
    let turns = 1;
    while (await job.run(context)) {
      turns += 1;
      if (performance.now() - started > patienceMilliseconds) throw new Error(`To ${job.name} does not end.`);
    }
    times.push({ name: job.name, turns, milliseconds: performance.now() - started });
  }
  return times;
}

function contextOf(database: Database, chainId: number): JobContext {
  const beside: Indexer["beside"] = (work) =>
    database.transaction(async (client) => {
      const checkpoints = await lockCheckpoints(client, chainId);
      const number = checkpoints.get("ledger")?.block ?? -1;
      const [block] = await client.query<{ hash: Hash }>("SELECT hash FROM blocks WHERE chain_id = $1 AND number = $2", [chainId, number]);
      return block === undefined ? null : work(client, { number, hash: block.hash });
    });
  const ask = (): Promise<never> => Promise.reject(new Error("This benchmark has no node to ask."));
  return {
    chainId,
    database,
    exclusive: beside,
    beside,
    source: { capabilities: noCapabilities, balances: ask, calls: ask, hashesOf: ask },
    multicall: ask,
    clock: () => new Date(),
    logger: { info: () => undefined },
  };
}
