import { type ContractBackoff, createContractBackoff } from "../../../../chain/contract-backoff.ts";
import type { DatabaseClient } from "../../../../database/database.ts";
import type { Protocol } from "../../../../declarations/protocol.ts";
import type { Row } from "../../../../indexer/projection.ts";
import { readSwitchedOff } from "../../../../indexer/storage/checkpoints.ts";
import { writeRows } from "../../../../indexer/storage/write-rows.ts";
import type { IndexedBlock } from "../../../../indexer/types.ts";
import type { Job, JobContext } from "../../../../jobs/job.ts";
import { groupBy } from "../../../../lib/group-by.ts";
import { indexedHead, writeIfCanonical, writeIfCanonicalKeepingCache } from "../../../tokens/jobs/reconcile-balances/as-of-head.ts";
import { projectionIdOf } from "../../relations.ts";
import { type DeclaredRead, declaredReads, firstOfGroups } from "./declared-reads.ts";
import { writeLatestResults } from "./latest-results.ts";
import { contractsIn, type ListedKind, listedKinds, storeListed, unknownContracts } from "./listed-contracts.ts";
import { dropReads, dueReads, type MissingStates, queuedBlocks, recordFailedReads, removeReads } from "./queue.ts";
import { blocksWithState, type PortionResult, readPortion } from "./read-portion.ts";
import { hasMoreQueuedThan, nextBlocks, readSchedule, scheduleReads } from "./schedule.ts";
import { type ContractReadSettings, defaultContractReadSettings, maxAttempts, maxQueued } from "./settings.ts";

/**
 * The jobs that call declared protocols' contracts: one performs queued reads, newest first; the other queues periodic reads. A result is stored
 * for the block at which it was read. Empty if no protocol has reads.
 */
export const createProtocolReadJobs = (protocols: readonly Protocol[], overrides: Partial<ContractReadSettings> = {}): Job[] => {
  const settings = { ...defaultContractReadSettings, ...overrides };
  const reads = declaredReads(protocols);
  return reads.length === 0 ? [] : [createReadJob(reads, listedKinds(protocols), settings), createScheduleJob(reads, settings)];
};

const createReadJob = (
  reads: readonly DeclaredRead[],
  kinds: readonly ListedKind[],
  { readMilliseconds, backoffMilliseconds }: ContractReadSettings,
): Job => {
  const backoff = createContractBackoff(backoffMilliseconds);
  const groups = groupBy(reads, ({ protocol, group }) => nameOf(protocol, group));
  return {
    name: "read-protocol-contracts",
    intervalMilliseconds: readMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      const activeReads = await withTables(context, reads);
      const protocols = [...new Set(activeReads.map(({ protocol }) => protocol))];
      // Reads whose declaration was removed are deleted when the index is opened.
      const due = (await dueReads(database, chainId, head.number, protocols, backoff.contractsToSkip(clock()))).filter((read) =>
        groups.has(nameOf(read.protocol, read.read_name)),
      );
      if (due.length === 0) return false;
      const result = await readPortion(context, due, (read) => groups.get(nameOf(read.protocol, read.read_name)) ?? []);
      const missing = await missingStates(context, protocols, result);
      const listed = contractsIn(kinds, result.completed);
      const unknown = await unknownContracts(database, chainId, listed);
      const write = async (client: DatabaseClient): Promise<boolean> => {
        await writeResult(client, context, head, activeReads, result, missing);
        await storeListed(client, chainId, listed, unknown);
        return true;
      };
      // Folds load contracts, so adding some must invalidate their cache.
      const isWritten = await (unknown.length === 0
        ? writeIfCanonicalKeepingCache(context, head, write)
        : writeIfCanonical(context, head, write));
      if (isWritten === null) return false;
      updateBackoff(backoff, clock(), result);
      return result.completed.length > 0;
    },
  };
};

/** Excludes reads of switched-off protocols, because their tables may be missing. */
const withTables = async ({ database, chainId }: JobContext, reads: readonly DeclaredRead[]): Promise<readonly DeclaredRead[]> => {
  const switchedOff = await readSwitchedOff(database, chainId);
  return reads.filter(({ protocol }) => !switchedOff.has(projectionIdOf(protocol)));
};

const nameOf = (protocol: string, read: string): string => `${protocol} ${read}`;

const writeResult = async (
  client: DatabaseClient,
  { chainId }: JobContext,
  head: IndexedBlock,
  reads: readonly DeclaredRead[],
  { completed, failed, withoutState }: PortionResult,
  missing: MissingStates | null,
): Promise<void> => {
  const givenUp = failed.filter(({ due }) => due.attempts + 1 >= maxAttempts);
  const finished = [...completed, ...givenUp];
  const rows: Record<string, Row[]> = {};
  for (const { table, row } of finished.flatMap((result) => result.rows)) {
    const tableRows = rows[table] ?? [];
    tableRows.push(row);
    rows[table] = tableRows;
  }
  await writeRows(
    client,
    chainId,
    reads.map(({ table }) => table),
    rows,
  );
  for (const read of reads) await writeLatestResults(client, chainId, read, rows[read.table.name] ?? []);
  await removeReads(
    client,
    chainId,
    finished.map(({ due }) => due),
  );
  await recordFailedReads(client, chainId, [...failed.filter((read) => !givenUp.includes(read)).map(({ due }) => due), ...withoutState]);
  if (missing !== null) for (const read of firstOfGroups(reads)) await dropReads(client, chainId, read, missing, head.number);
};

/**
 * The blocks whose state the node lacks; null if none are known. A node with archive state may keep only some states, or be one of several nodes
 * behind a URL. A state therefore counts as missing only after repeated failures; then all other queued blocks are probed once.
 */
const missingStates = async (
  context: JobContext,
  protocols: readonly string[],
  { withoutState, highestWithoutState }: PortionResult,
): Promise<MissingStates | null> => {
  if (highestWithoutState !== null) return { highest: highestWithoutState, blocks: null };
  const absent = withoutState.filter(({ attempts }) => attempts + 1 >= maxAttempts).map(({ block_number }) => block_number);
  if (absent.length === 0) return null;
  const highest = Math.max(...absent);
  const blocks = await queuedBlocks(context.database, context.chainId, protocols, highest);
  // If the node fails in the meantime, the results of this run are stored, and a later run probes the other blocks.
  const available = await blocksWithState(context, blocks).catch(() => null);
  return { highest, blocks: available === null ? absent : blocks.filter((block) => !available.includes(block)) };
};

const updateBackoff = (backoff: ContractBackoff, now: Date, { completed, failed }: PortionResult): void => {
  for (const { due } of completed) backoff.clear(due.contract);
  for (const contract of new Set(failed.map(({ due }) => due.contract))) backoff.recordFailure(contract, now);
};

const createScheduleJob = (reads: readonly DeclaredRead[], { scheduleMilliseconds }: ContractReadSettings): Job => {
  const periodic = firstOfGroups(reads).filter(({ definition }) => definition.everyBlocks !== null);
  return {
    name: "schedule-protocol-reads",
    intervalMilliseconds: scheduleMilliseconds,
    run: async (context) => {
      const head = await indexedHead(context);
      if (head === null) return false;
      let hasMore = false;
      for (const read of await withTables(context, periodic)) {
        const { everyBlocks } = read.definition;
        if (everyBlocks !== null) hasMore = (await scheduleNext(context, head, read, everyBlocks)) || hasMore;
      }
      return hasMore;
    },
  };
};

/**
 * Queues a read for the next blocks at which it is due; false if there are none. Past blocks are queued only if the node has archive state and the
 * queue is short.
 */
const scheduleNext = async (context: JobContext, head: IndexedBlock, read: DeclaredRead, interval: number): Promise<boolean> => {
  const { database, chainId, source } = context;
  const schedule = await readSchedule(database, chainId, read);
  const next = schedule === null ? null : nextBlocks(schedule.scheduled, interval, head.number, schedule.lowest);
  if (schedule === null || next === null) return false;
  const isPast = schedule.scheduled !== null && next.scheduled.to === schedule.scheduled.to;
  if (isPast && (!source.capabilities.hasArchiveState || (await hasMoreQueuedThan(database, chainId, maxQueued)))) return false;
  return (
    (await writeIfCanonicalKeepingCache(context, head, (client) => scheduleReads(client, chainId, read, next).then(() => true))) === true
  );
};
