import { type ContractBackoff, createContractBackoff } from "../../../../../chain/contract-backoff.ts";
import type { IndexedBlock } from "../../../../../indexer/types.ts";
import type { Job, JobContext } from "../../../../../jobs/job.ts";
import { groupBy } from "../../../../../lib/group-by.ts";
import { standards } from "../../../projection/standards.ts";
import { indexedHead, readBalances, writeAsOf } from "../as-of-head.ts";
import { createChangeLocator, type SilentChange } from "../quiet-calls/locate-changes.ts";
import type { ReconciliationSettings } from "../settings.ts";
import { recountHolders, updateHolderCounts } from "./holder-counts.ts";
import { type NodeReading, tokensWithoutUnreadPeriods, type UnreadBalance, unreadBalances, writeReadings } from "./readings.ts";

const maxBalances = 450;
/** Max blocks whose state one run reads. */
const maxHeights = 40;
/** A node without archive state has the state of about 128 blocks. */
const recentBlocks = 100;

/** Tokens whose contracts returned no current balances, and no past ones. */
export interface UnreadBackoff {
  readonly rows: ContractBackoff;
  readonly periods: ContractBackoff;
}

export const createUnreadBackoff = ({ backoffMilliseconds }: ReconciliationSettings): UnreadBackoff => ({
  rows: createContractBackoff(backoffMilliseconds),
  periods: createContractBackoff(backoffMilliseconds),
});

/**
 * Reads node-sourced balances after the block that touched them, if the node has that state, and at the head. Where the first is unknown or differs from
 * the second, the balance at the head holds from the head on. With archive state, ended periods are read too.
 */
export const createReadUnknownBalances = (settings: ReconciliationSettings, { rows: ofRows, periods: ofPeriods }: UnreadBackoff): Job => {
  const locate = createChangeLocator(settings);
  return {
    name: "read-unknown-balances",
    intervalMilliseconds: settings.readMilliseconds,
    run: async (context) => {
      const { database, chainId, clock, source } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      const rows = await unreadBalances(database, chainId, "rows", ofRows.deferred(clock()), maxBalances);
      const hasMoreRows = await readPortion(context, head, rows, true, ofRows, locate);
      if (!source.capabilities.archiveState || hasMoreRows) return hasMoreRows;
      const periods = await unreadBalances(database, chainId, "periods", ofPeriods.deferred(clock()), maxBalances);
      return readPortion(context, head, periods, false, ofPeriods, locate);
    },
  };
};

/** True if balances were written and more are left. */
const readPortion = async (
  context: JobContext,
  head: IndexedBlock,
  balances: readonly UnreadBalance[],
  isCurrent: boolean,
  backoff: ContractBackoff,
  locate: ReturnType<typeof createChangeLocator>,
): Promise<boolean> => {
  // Rows that a batch wrote after the head was determined are left for the next run.
  const open = balances.filter(({ since }) => since <= head.number);
  if (open.length === 0) return false;
  const { readings, unanswered } = await read(context, head, open, isCurrent);
  for (const { key } of unanswered) backoff.defer(key.token, context.clock());
  if (readings.length === 0) return false;
  const isDone = await writeAsOf(context, head, async (client) => {
    await writeReadings(client, context.chainId, readings);
    if (isCurrent) {
      const changed = readings.map(({ key: { token, standard }, since }) => ({ token, standard, since }));
      await updateHolderCounts(client, context.chainId, changed, head.number);
    } else await recountHolders(client, context.chainId, await tokensWithoutUnreadPeriods(client, context.chainId, readings));
    return true;
  });
  if (isDone !== true) return false;
  if (isCurrent) await locate(context, head, silentChanges(readings));
  for (const { key } of readings) if (!unanswered.some((one) => one.key.token === key.token)) backoff.clear(key.token);
  const handled = new Set([...readings, ...unanswered].map(({ key }) => key)).size;
  return open.length > handled || balances.length === maxBalances;
};

/** Balances that differ between the block of their last event and the head. */
const silentChanges = (readings: readonly NodeReading[]): SilentChange[] => {
  const later = new Map(readings.filter(({ since, readAt }) => since < readAt).map((one) => [one.key, one.balance]));
  return readings.flatMap(({ key, since, readAt, balance }) => {
    const after = later.get(key);
    if (since !== readAt || after === undefined || after === balance || key.standard !== standards.erc20) return [];
    return [{ token: key.token, owner: key.owner, since, before: balance, after }];
  });
};

interface Readings {
  readonly readings: readonly NodeReading[];
  readonly unanswered: readonly UnreadBalance[];
}

const read = async (context: JobContext, head: IndexedBlock, balances: readonly UnreadBalance[], isCurrent: boolean): Promise<Readings> => {
  const hasState = (height: number) => context.source.capabilities.archiveState || head.number - height < recentBlocks;
  const byHeight = [...groupBy(balances, ({ since }) => (hasState(since) ? since : head.number))].slice(0, maxHeights);
  const readings: NodeReading[] = [];
  const failed: UnreadBalance[] = [];
  for (const [height, group] of byHeight) await readAt(context, height, group, readings, failed);
  if (!isCurrent) return { readings, unanswered: failed };
  // The balance may have changed since its last event without another one.
  const answered = new Map(readings.filter(({ readAt: height }) => height < head.number).map((one) => [one.key, one]));
  const unanswered = failed.filter(({ since }) => since === head.number);
  const atHead: NodeReading[] = [];
  const failedAtHead: UnreadBalance[] = [];
  await readAt(context, head.number, [...answered.values(), ...failed.filter(({ since }) => since < head.number)], atHead, failedAtHead);
  readings.push(...atHead.filter(({ key, balance }) => answered.get(key)?.balance !== balance));
  unanswered.push(...failedAtHead.filter(({ key }) => !answered.has(key)));
  return { readings, unanswered };
};

/** Reads balances after one block and adds each to `readings` or `failed`. */
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
  for (const [position, one] of group.entries()) {
    const balance = balances[position] ?? null;
    if (balance === null) failed.push(one);
    else readings.push({ ...one, balance, readAt: height });
  }
};
