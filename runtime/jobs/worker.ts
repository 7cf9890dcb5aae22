import type { CallOutcome, Source } from "../chain/source.ts";
import { arrayLiteral } from "../database/array-literal.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../indexer/projection.ts";
import { writeRows } from "../indexer/storage/write-rows.ts";
import { backoff, sleep } from "../lib/async.ts";
import type { Address } from "../lib/hex.ts";
import { callMany } from "./multicall.ts";
import type { NodeRead } from "./node-read.ts";

export interface WorkerDeps {
  readonly chainId: number;
  readonly database: Database;
  readonly source: Pick<Source, "head" | "calls">;
  readonly reads: readonly NodeRead[];
  readonly multicall: Address;
  readonly clock: () => Date;
  readonly logger: { warn(message: string): void };
  readonly pauseMilliseconds?: number;
  /** Whether this process is the one that writes the chain; another one's worker waits. */
  readonly isLeading?: () => boolean;
}

/** Does the reads of the node that may wait, as they come due. */
export interface Worker {
  /** Does what is due now, and says how many reads were done. */
  drain(): Promise<number>;
  /** Goes on until the signal; failures are tried again later. */
  run(signal: AbortSignal): Promise<void>;
}

interface QueuedRead {
  readonly kind: string;
  readonly key: Address;
  readonly block_number: number;
  readonly attempts: number;
}

/** Jobs in hand at once. */
const portion = 60;
/** Tries after which what is still unanswered stays unknown. */
const maxAttempts = 8;
const firstWaitSeconds = 2;
const maxWaitSeconds = 3_600;

/** One worker for one chain. Jobs are in the database: what a crash interrupts is done again. */
export const createWorker = (deps: WorkerDeps): Worker => {
  const drain = async (): Promise<number> => {
    let done = 0;
    for (;;) {
      for (const read of deps.reads) await dropKnown(deps, read);
      const jobs = await takeDue(deps);
      for (const read of deps.reads)
        done += await perform(
          deps,
          read,
          jobs.filter(({ kind }) => kind === read.kind),
        );
      if (jobs.length < portion) return done;
    }
  };
  return {
    drain,
    run: async (signal) => {
      while (!signal.aborted) {
        if (deps.isLeading?.() !== false) {
          await drain().catch((error: unknown) =>
            deps.logger.warn(`Reads of the node wait: ${error instanceof Error ? error.message : "unknown reason"}`),
          );
        }
        await sleep(deps.pauseMilliseconds ?? 500, signal);
      }
    },
  };
};

/**
 * A batch that was folded before a read was written asks for it once more: its job is dropped, so that the row keeps the block that made the read necessary
 * and goes with that block alone. Reads the queue, which is short, and probes the table's primary key.
 */
const dropKnown = async ({ database, chainId }: WorkerDeps, { kind, table }: NodeRead): Promise<void> => {
  await database.query(
    `DELETE FROM node_reads r USING ${table.name} t
     WHERE r.chain_id = $1 AND r.kind = $2 AND t.chain_id = $1 AND t.${table.key[0]} = r.key`,
    [chainId, kind],
  );
};

/** Served by node_reads_due. */
const takeDue = ({ database, chainId, clock, reads }: WorkerDeps): Promise<QueuedRead[]> =>
  database.query<QueuedRead>(
    `SELECT kind, key, block_number, attempts FROM node_reads WHERE chain_id = $1 AND run_after <= $2 AND kind = ANY($3) ORDER BY run_after LIMIT ${portion}`,
    [chainId, clock(), reads.map(({ kind }) => kind)],
  );

const perform = async (deps: WorkerDeps, read: NodeRead, jobs: readonly QueuedRead[]): Promise<number> => {
  if (jobs.length === 0) return 0;
  const plans = jobs.map((job) => ({ job, calls: read.calls(job.key) }));
  let outcomes: CallOutcome[];
  let height: number;
  try {
    height = (await deps.source.head()).number;
    outcomes = await callMany(
      deps.source,
      deps.multicall,
      plans.flatMap(({ calls }) => calls),
      height,
    );
  } catch (error) {
    await postpone(deps, jobs);
    throw error;
  }
  let taken = 0;
  const finished: { job: QueuedRead; row: Row }[] = [];
  const unanswered: QueuedRead[] = [];
  for (const { job, calls } of plans) {
    const own = outcomes.slice(taken, taken + calls.length);
    taken += calls.length;
    // What a contract refuses is an answer; what a node cannot say may be one later.
    const complete = own.every((outcome) => outcome.ok || outcome.reverted) || job.attempts + 1 >= maxAttempts;
    if (complete) finished.push({ job, row: read.toRow({ key: job.key, blockNumber: job.block_number, readAtBlock: height }, own) });
    else unanswered.push(job);
  }
  await finish(deps, read, finished);
  await postpone(deps, unanswered);
  return finished.length;
};

/** Writes the rows of those jobs that are still wanted: a reorganisation may have taken a token back meanwhile. */
const finish = async (
  { database, chainId }: WorkerDeps,
  read: NodeRead,
  finished: readonly { job: QueuedRead; row: Row }[],
): Promise<void> => {
  if (finished.length === 0) return;
  await database.transaction(async (client) => {
    const removed = await client.query<{ key: Address }>(
      `DELETE FROM node_reads r USING unnest($3::bytea[], $4::int8[]) AS d(key, block_number)
       WHERE r.chain_id = $1 AND r.kind = $2 AND r.key = d.key AND r.block_number = d.block_number RETURNING r.key`,
      [
        chainId,
        read.kind,
        arrayLiteral(
          finished.map(({ job }) => job.key),
          "bytea",
        ),
        arrayLiteral(
          finished.map(({ job }) => job.block_number),
          "int8",
        ),
      ],
    );
    const wanted = new Set(removed.map(({ key }) => key));
    const rows = finished.filter(({ job }) => wanted.has(job.key)).map(({ row }) => row);
    await writeRows(client, chainId, [read.table], { [read.table.name]: rows });
  });
};

/** Exponential back-off by the number of tries. */
const postpone = async ({ database, chainId, clock }: WorkerDeps, jobs: readonly QueuedRead[]): Promise<void> => {
  for (const { kind, key, attempts } of jobs) {
    const wait = backoff(attempts + 1, { base: firstWaitSeconds, max: maxWaitSeconds });
    const due = new Date(clock().getTime() + wait * 1_000);
    await database.query(
      "UPDATE node_reads SET attempts = attempts + 1, run_after = $4 WHERE chain_id = $1 AND kind = $2 AND key = decode($3, 'hex')",
      [chainId, kind, key.slice(2), due],
    );
  }
};
