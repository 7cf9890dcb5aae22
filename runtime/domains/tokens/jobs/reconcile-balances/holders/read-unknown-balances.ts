import { type ContractBackoff, createContractBackoff } from "../../../../../chain/contract-backoff.ts";
import type { IndexedBlock } from "../../../../../indexer/types.ts";
import type { Job, JobContext } from "../../../../../jobs/job.ts";
import { groupBy } from "../../../../../lib/group-by.ts";
import { standards } from "../../../projection/standards.ts";
import { indexedHead, readBalances, writeIfCanonical } from "../as-of-head.ts";
import { createChangeLocator, type EventlessChange } from "../quiet-calls/locate-changes.ts";
import type { ReconciliationSettings } from "../settings.ts";
import { recountHolders, updateHolderCounts } from "./holder-counts.ts";
import { type NodeReading, tokensWithoutUnreadPeriods, type UnreadBalance, unreadBalances, writeReadings } from "./readings.ts";

/** Max current balances, and max ended periods, that one run reads. */
const maxBalances = 450;
/** Max blocks whose state one run reads. */
const maxHeights = 40;
/** A node without archive state keeps the state of about 128 blocks. */
const recentBlocks = 100;

/** The backoff of tokens whose contracts returned no current balances (`current`) or no past ones (`periods`). */
export interface UnreadBackoff {
  readonly current: ContractBackoff;
  readonly periods: ContractBackoff;
}

export const createUnreadBackoff = ({ backoffMilliseconds }: ReconciliationSettings): UnreadBackoff => ({
  current: createContractBackoff(backoffMilliseconds),
  periods: createContractBackoff(backoffMilliseconds),
});

/**
 * Reads node-sourced balances as of the block that touched them, if the node has that state, and as of the head. If the first balance is unknown or differs
 * from the second, the second holds from the head on. With archive state, ended periods are read too.
 */
export const createReadUnknownBalancesJob = (
  settings: ReconciliationSettings,
  { current: currentBackoff, periods: periodBackoff }: UnreadBackoff,
): Job => {
  const locate = createChangeLocator(settings);
  return {
    name: "read-unknown-balances",
    intervalMilliseconds: settings.readMilliseconds,
    run: async (context) => {
      const { database, chainId, clock, source } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      const current = await unreadBalances(database, chainId, "current", currentBackoff.contractsToSkip(clock()), maxBalances);
      const hasMoreCurrent = await readPortion(context, head, current, true, currentBackoff, locate);
      if (!source.capabilities.hasArchiveState || hasMoreCurrent) return hasMoreCurrent;
      const periods = await unreadBalances(database, chainId, "periods", periodBackoff.contractsToSkip(clock()), maxBalances);
      return readPortion(context, head, periods, false, periodBackoff, locate);
    },
  };
};

/** Reads and writes balances; true if some were written and more remain. */
const readPortion = async (
  context: JobContext,
  head: IndexedBlock,
  balances: readonly UnreadBalance[],
  isCurrent: boolean,
  backoff: ContractBackoff,
  locate: ReturnType<typeof createChangeLocator>,
): Promise<boolean> => {
  // Rows that a batch wrote after the head was determined are left for the next run.
  const due = balances.filter(({ since }) => since <= head.number);
  if (due.length === 0) return false;
  const { readings, unresolved } = await read(context, head, due, isCurrent);
  for (const { key } of unresolved) backoff.recordFailure(key.token, context.clock());
  if (readings.length === 0) return false;
  const isDone = await writeIfCanonical(context, head, async (client) => {
    await writeReadings(client, context.chainId, readings);
    if (isCurrent) {
      const changed = readings.map(({ key: { token, standard }, since }) => ({ token, standard, since }));
      await updateHolderCounts(client, context.chainId, changed, head.number);
    } else await recountHolders(client, context.chainId, await tokensWithoutUnreadPeriods(client, context.chainId, readings));
    return true;
  });
  if (isDone !== true) return false;
  if (isCurrent) await locate(context, head, eventlessChanges(readings));
  for (const { key } of readings) if (!unresolved.some((balance) => balance.key.token === key.token)) backoff.clear(key.token);
  const handled = new Set([...readings, ...unresolved].map(({ key }) => key)).size;
  return due.length > handled || balances.length === maxBalances;
};

/** The ERC-20 balances that changed between the block of their last event and the head. */
const eventlessChanges = (readings: readonly NodeReading[]): EventlessChange[] => {
  const later = new Map(readings.filter(({ since, readAt }) => since < readAt).map((reading) => [reading.key, reading.balance]));
  return readings.flatMap(({ key, since, readAt, balance }) => {
    const after = later.get(key);
    if (since !== readAt || after === undefined || after === balance || key.standard !== standards.erc20) return [];
    return [{ token: key.token, owner: key.owner, since, before: balance, after }];
  });
};

interface Readings {
  readonly readings: readonly NodeReading[];
  readonly unresolved: readonly UnreadBalance[];
}

const read = async (context: JobContext, head: IndexedBlock, balances: readonly UnreadBalance[], isCurrent: boolean): Promise<Readings> => {
  const hasState = (height: number) => context.source.capabilities.hasArchiveState || head.number - height < recentBlocks;
  const byHeight = [...groupBy(balances, ({ since }) => (hasState(since) ? since : head.number))].slice(0, maxHeights);
  const readings: NodeReading[] = [];
  const failed: UnreadBalance[] = [];
  for (const [height, group] of byHeight) await readAt(context, height, group, readings, failed);
  if (!isCurrent) return { readings, unresolved: failed };
  // The balance may have changed without an event since its last event.
  const readBelowHead = new Map(readings.filter(({ readAt: height }) => height < head.number).map((reading) => [reading.key, reading]));
  const unresolved = failed.filter(({ since }) => since === head.number);
  const atHead: NodeReading[] = [];
  const failedAtHead: UnreadBalance[] = [];
  await readAt(
    context,
    head.number,
    [...readBelowHead.values(), ...failed.filter(({ since }) => since < head.number)],
    atHead,
    failedAtHead,
  );
  readings.push(...atHead.filter(({ key, balance }) => readBelowHead.get(key)?.balance !== balance));
  unresolved.push(...failedAtHead.filter(({ key }) => !readBelowHead.has(key)));
  return { readings, unresolved };
};

/** Reads balances as of one block and adds each to `readings` or `failed`. */
const readAt = async (
  context: JobContext,
  height: number,
  group: readonly UnreadBalance[],
  readings: NodeReading[],
  failed: UnreadBalance[],
): Promise<void> => {
  const balances = await readBalances(
    context,
    group.map(({ key }) => key),
    height,
  );
  for (const [position, unread] of group.entries()) {
    const balance = balances[position] ?? null;
    if (balance === null) failed.push(unread);
    else readings.push({ ...unread, balance, readAt: height });
  }
};
