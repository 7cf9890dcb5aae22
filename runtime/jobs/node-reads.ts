import type { CallOutcome, Source } from "../chain/source.ts";
import type { Database } from "../database/database.ts";
import { columnList, identifier, sql } from "../database/sql.ts";
import type { LatestTable, Row } from "../indexer/projection.ts";
import { writeRows } from "../indexer/storage/write-rows.ts";
import type { Address } from "../lib/hex.ts";
import type { Job } from "./job.ts";
import { type ContractCall, callMany } from "./multicall.ts";
import { createQueue } from "./queue.ts";
import { createScheduler, type Scheduler } from "./scheduler.ts";

/** A read's key and blocks, from which its row is computed together with the outcomes. */
export interface CompletedRead {
  readonly key: Address;
  /** The block that queued the read. */
  readonly blockNumber: number;
  /** The block whose state was read. */
  readonly readAtBlock: number;
}

/** A kind of non-urgent contract read: the calls for a key, and the row computed from their outcomes. */
export interface NodeRead {
  readonly kind: string;
  readonly calls: (key: Address) => readonly ContractCall[];
  readonly table: LatestTable;
  readonly toRow: (completed: CompletedRead, outcomes: readonly (CallOutcome | undefined)[]) => Row;
  /** Whether it replaces previously read values; otherwise, entries whose row is stored are dropped. */
  readonly isRefresh?: boolean;
}

export interface NodeReadsDeps {
  readonly chainId: number;
  readonly chainName: string;
  readonly database: Database;
  readonly source: Pick<Source, "head" | "runCalls">;
  readonly reads: readonly NodeRead[];
  readonly multicallAddress: Address;
  readonly clock: () => Date;
  readonly logger: { warn(message: string): void };
  readonly pauseMilliseconds?: number;
  /** Whether this process is the chain's leader; reads wait while another process is. */
  readonly isLeading?: () => boolean;
}

interface QueuedRead {
  readonly kind: string;
  readonly key: Address;
  readonly block_number: number;
  readonly attempts: number;
}

/** Max reads per run. */
const portionSize = 60;
/** After this many failed attempts, a value is stored as unknown. */
const maxAttempts = 8;
const intervalMilliseconds = 500;
/** Only the chain's leader claims reads. If it is killed, the reads that it claimed become due again after this time. */
const leaseMilliseconds = 10_000;

const queue = createQueue<QueuedRead>({
  table: "node_reads",
  key: { kind: "text", key: "bytea" },
  version: { block_number: "int8" },
  columns: [],
  storesProblem: false,
  leaseColumn: "run_after",
  backoff: { base: 2_000, max: 3_600_000 },
});

/** Creates the scheduler that performs one chain's queued contract reads as they become due. */
export const createNodeReadScheduler = (deps: NodeReadsDeps): Scheduler => {
  const job: Job<AbortSignal> = { name: "read-contracts", intervalMilliseconds, run: () => readPortion(deps) };
  return createScheduler({
    ...deps,
    jobs: [job],
    contextOf: (signal) => signal,
    busyPauseMilliseconds: 0,
    ...(deps.isLeading === undefined ? {} : { isReady: deps.isLeading }),
  });
};

/** Performs one portion; true if more reads may be due. */
const readPortion = async (deps: NodeReadsDeps): Promise<boolean> => {
  for (const read of deps.reads) if (read.isRefresh !== true) await dropStored(deps, read);
  const kinds = deps.reads.map(({ kind }) => kind);
  // Served by node_reads_due.
  const claimed = await queue.claim({ ...deps, leaseMilliseconds }, sql`kind = ANY ($5)`, portionSize, [kinds]);
  for (const read of deps.reads) {
    const entries = claimed.filter(({ kind }) => kind === read.kind);
    if (entries.length > 0) await perform(deps, read, entries);
  }
  return claimed.length === portionSize;
};

/**
 * A batch that was folded before a read was stored queues the read again. That entry is dropped, so that the row keeps the block that first queued
 * the read and is rolled back with it. The statement scans the queue, which is short, and looks up rows by the table's primary key.
 */
const dropStored = async ({ database, chainId }: NodeReadsDeps, { kind, table }: NodeRead): Promise<void> => {
  await database.query(
    sql`DELETE FROM node_reads r USING ${identifier(table.name)} t
     WHERE r.chain_id = $1 AND r.kind = $2 AND t.chain_id = $1 AND ${columnList(table.key.slice(0, 1), "t")} = r.key`,
    [chainId, kind],
  );
};

const perform = async (deps: NodeReadsDeps, read: NodeRead, entries: readonly QueuedRead[]): Promise<void> => {
  const plans = entries.map((entry) => ({ entry, calls: read.calls(entry.key) }));
  const calls = plans.flatMap((plan) => plan.calls);
  const result = await callsAtHead(deps, calls).catch(async (error: unknown) => {
    // The node failed, not these contracts, so the attempt does not count.
    await queue.release(deps.database, deps, entries);
    throw error;
  });
  const outcomes = result.outcomes.values();
  const finished: { entry: QueuedRead; row: Row }[] = [];
  const failed: { entry: QueuedRead }[] = [];
  for (const { entry, calls: callsOfEntry } of plans) {
    const results = callsOfEntry.map(() => outcomes.next().value);
    // A revert is an outcome; a call that the node failed to run may succeed later.
    const isComplete = results.every((outcome) => outcome?.ok === true || outcome?.reverted === true);
    if (!isComplete && entry.attempts < maxAttempts) failed.push({ entry });
    else {
      const completed = { key: entry.key, blockNumber: entry.block_number, readAtBlock: result.height };
      finished.push({ entry, row: read.toRow(completed, results) });
    }
  }
  await finish(deps, read, finished);
  await queue.postpone(deps.database, deps, failed);
};

const callsAtHead = async ({ source, multicallAddress }: NodeReadsDeps, calls: readonly ContractCall[]) => {
  const { number: height } = await source.head();
  return { height, outcomes: await callMany(source, multicallAddress, calls, height) };
};

/** Writes the rows of entries that are still claimed; a reorganisation may have deleted some. */
const finish = async (
  { database, chainId }: NodeReadsDeps,
  read: NodeRead,
  finished: readonly { entry: QueuedRead; row: Row }[],
): Promise<void> => {
  if (finished.length === 0) return;
  await database.transaction(async (client) => {
    const removed = await queue.remove(
      client,
      chainId,
      finished.map(({ entry }) => entry),
    );
    const removedKeys = new Set(removed.map(({ key }) => key));
    const rows = finished.filter(({ entry }) => removedKeys.has(entry.key)).map(({ row }) => row);
    await writeRows(client, chainId, [read.table], { [read.table.name]: rows });
  });
};
