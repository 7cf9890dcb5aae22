import { type ContractBackoff, createContractBackoff } from "../../../../chain/contract-backoff.ts";
import type { DatabaseClient } from "../../../../database/database.ts";
import type { Protocol } from "../../../../declarations/protocol.ts";
import type { Row } from "../../../../indexer/projection.ts";
import { readSwitchedOff } from "../../../../indexer/storage/checkpoints.ts";
import { writeRows } from "../../../../indexer/storage/write-rows.ts";
import type { IndexedBlock } from "../../../../indexer/types.ts";
import type { Job, JobContext } from "../../../../jobs/job.ts";
import { groupBy } from "../../../../lib/group-by.ts";
import { indexedHead, writeAsOf, writeBesideAsOf } from "../../../tokens/jobs/reconcile-balances/as-of-head.ts";
import { projectionIdOf } from "../../relations.ts";
import { type DeclaredRead, declaredReads, firstOfGroups } from "./declared-reads.ts";
import { contractsIn, type ListedKind, listedKinds, storeListed, unknownContracts } from "./listed-contracts.ts";
import { writeNewest } from "./newest-results.ts";
import { countFailedReads, dropReads, dueReads, type LackingBlocks, queuedBlocks, removeReads } from "./queue.ts";
import { blocksWithState, type PortionResult, readPortion } from "./read-portion.ts";
import { hasQueued, nextBlocks, readSchedule, scheduleReads } from "./schedule.ts";
import { type ContractReadSettings, defaultContractReadSettings, maxAttempts, maxQueued } from "./settings.ts";

/**
 * The jobs that call contracts of declared protocols: one performs queued reads, the newest first, the other queues those that are due every so many blocks.
 * A result is stored for the block whose state was read. Empty if no protocol has reads.
 */
export const createProtocolReadJobs = (protocols: readonly Protocol[], overrides: Partial<ContractReadSettings> = {}): Job[] => {
  const settings = { ...defaultContractReadSettings, ...overrides };
  const reads = declaredReads(protocols);
  return reads.length === 0 ? [] : [createReadJob(reads, listedKinds(protocols), settings), createScheduleJob(reads, settings)];
};

const createReadJob = (
  reads: readonly DeclaredRead[],
  kinds: readonly ListedKind[],
  { readMilliseconds, deferMilliseconds }: ContractReadSettings,
): Job => {
  const backoff = createContractBackoff(deferMilliseconds);
  const groups = groupBy(reads, ({ protocol, group }) => nameOf(protocol, group));
  return {
    name: "read-protocol-contracts",
    intervalMilliseconds: readMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      const own = await withTables(context, reads);
      const protocols = [...new Set(own.map(({ protocol }) => protocol))];
      // Reads whose declaration is gone are deleted when the index is opened.
      const due = (await dueReads(database, chainId, head.number, protocols, backoff.deferred(clock()))).filter((one) =>
        groups.has(nameOf(one.protocol, one.read_name)),
      );
      if (due.length === 0) return false;
      const result = await readPortion(context, due, (one) => groups.get(nameOf(one.protocol, one.read_name)) ?? []);
      const lacking = await lackingBlocks(context, protocols, result);
      const listed = contractsIn(kinds, result.completed);
      const unknown = await unknownContracts(database, chainId, listed);
      const write = async (client: DatabaseClient): Promise<boolean> => {
        await writeResult(client, context, head, own, result, lacking);
        await storeListed(client, chainId, listed, unknown);
        return true;
      };
      // Folds load contracts.
      const isWritten = await (unknown.length === 0 ? writeBesideAsOf(context, head, write) : writeAsOf(context, head, write));
      if (isWritten === null) return false;
      updateBackoff(backoff, clock(), result);
      return result.completed.length > 0;
    },
  };
};

/** The reads of protocols that are not switched off: the tables of those that are may be missing. */
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
  lacking: LackingBlocks | null,
): Promise<void> => {
  const givenUp = failed.filter(({ due }) => due.attempts + 1 >= maxAttempts);
  const finished = [...completed, ...givenUp];
  const rows: Record<string, Row[]> = {};
  for (const { table, row } of finished.flatMap((result) => result.rows)) {
    const own = rows[table] ?? [];
    own.push(row);
    rows[table] = own;
  }
  await writeRows(
    client,
    chainId,
    reads.map(({ table }) => table),
    rows,
  );
  for (const read of reads) await writeNewest(client, chainId, read, rows[read.table.name] ?? []);
  await removeReads(
    client,
    chainId,
    finished.map(({ due }) => due),
  );
  await countFailedReads(client, chainId, [...failed.filter((one) => !givenUp.includes(one)).map(({ due }) => due), ...withoutState]);
  if (lacking !== null) for (const read of firstOfGroups(reads)) await dropReads(client, chainId, read, lacking, head.number);
};

/**
 * The blocks whose state the node lacks; null if it has shown none. A node with archive state may keep the states of some blocks only, or be one of several
 * behind an address. A state therefore counts as absent after repeated failures; then all other queued blocks are probed once.
 */
const lackingBlocks = async (
  context: JobContext,
  protocols: readonly string[],
  { withoutState, lacking }: PortionResult,
): Promise<LackingBlocks | null> => {
  if (lacking !== null) return { highest: lacking, listed: null };
  const absent = withoutState.filter(({ attempts }) => attempts + 1 >= maxAttempts).map(({ block_number }) => block_number);
  if (absent.length === 0) return null;
  const highest = Math.max(...absent);
  const blocks = await queuedBlocks(context.database, context.chainId, protocols, highest);
  // If the node fails in the meantime, the results of this run are stored, and the other blocks are probed in a later one.
  const known = await blocksWithState(context, blocks).catch(() => null);
  return { highest, listed: known === null ? absent : blocks.filter((block) => !known.includes(block)) };
};

const updateBackoff = (backoff: ContractBackoff, now: Date, { completed, failed }: PortionResult): void => {
  for (const { due } of completed) backoff.clear(due.contract);
  for (const contract of new Set(failed.map(({ due }) => due.contract))) backoff.defer(contract, now);
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
 * Queues a read for the next blocks at which it is due; false if there are none. Past blocks follow where the node has their state, while the queue is short.
 */
const scheduleNext = async (context: JobContext, head: IndexedBlock, read: DeclaredRead, interval: number): Promise<boolean> => {
  const { database, chainId, source } = context;
  const schedule = await readSchedule(database, chainId, read);
  const next = schedule === null ? null : nextBlocks(schedule.scheduled, interval, head.number, schedule.lowest);
  if (schedule === null || next === null) return false;
  const isPast = schedule.scheduled !== null && next.scheduled.to === schedule.scheduled.to;
  if (isPast && (!source.capabilities.archiveState || (await hasQueued(database, chainId, maxQueued)))) return false;
  return (await writeBesideAsOf(context, head, (client) => scheduleReads(client, chainId, read, next).then(() => true))) === true;
};
