import type { IndexedBlock } from "../../../../../indexer/types.ts";
import type { Job, JobContext } from "../../../../../jobs/job.ts";
import { createTokenBackoff, type TokenBackoff } from "../../../../../jobs/token-backoff.ts";
import { groupBy } from "../../../../../lib/group-by.ts";
import { standards } from "../../../projection/standards.ts";
import { indexedHead, readBalances, writeAsOf } from "../as-of-head.ts";
import { createChangeLocator, type SilentChange } from "../quiet-calls/locate-changes.ts";
import type { ReconciliationSettings } from "../settings.ts";
import { recountHolders, updateHolderCounts } from "./holder-counts.ts";
import { type NodeReading, tokensWithoutUnreadPeriods, type UnreadBalance, unreadBalances, writeReadings } from "./readings.ts";

const maxBalances = 450;
/** Blocks whose state is asked for in one look. */
const maxHeights = 40;
/** A node without an archive has the state of about 128 blocks. */
const recentBlocks = 100;

/** Tokens with balances, and with past ones, that their contracts gave no answer for. */
export interface UnreadBackoff {
  readonly rows: TokenBackoff;
  readonly periods: TokenBackoff;
}

export const createUnreadBackoff = ({ backoffMilliseconds: deferMilliseconds }: ReconciliationSettings): UnreadBackoff => ({
  rows: createTokenBackoff(deferMilliseconds),
  periods: createTokenBackoff(deferMilliseconds),
});

/**
 * Asks for balances that the node has the word on, as they were after the block that touched them, where the node has that state, and as they are at the
 * head: where the first is not known, or the second is another one, what is now begins there. With an archive, what has ended is asked for too.
 */
export const createReadUnknownBalances = (settings: ReconciliationSettings, { rows: ofRows, periods: ofPeriods }: UnreadBackoff): Job => {
  const locate = createChangeLocator(settings);
  return {
    name: "read-unknown-balances",
    everyMilliseconds: settings.readMilliseconds,
    run: async (context) => {
      const { database, chainId, clock, source } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      const rows = await unreadBalances(database, chainId, "rows", ofRows.tokens(clock()), maxBalances);
      const hasMoreRows = await readPortion(context, head, rows, true, ofRows, locate);
      if (!source.capabilities.archiveState || hasMoreRows) return hasMoreRows;
      const periods = await unreadBalances(database, chainId, "periods", ofPeriods.tokens(clock()), maxBalances);
      return readPortion(context, head, periods, false, ofPeriods, locate);
    },
  };
};

/** True where something was settled and more is left. */
const readPortion = async (
  context: JobContext,
  head: IndexedBlock,
  wanted: readonly UnreadBalance[],
  headWillDo: boolean,
  deferral: TokenBackoff,
  locate: ReturnType<typeof createChangeLocator>,
): Promise<boolean> => {
  // Rows that a batch wrote since the head was looked up wait for the next look.
  const open = wanted.filter(({ since }) => since <= head.number);
  if (open.length === 0) return false;
  const { readings, left } = await read(context, head, open, headWillDo);
  for (const { key } of left) deferral.put(key.token, context.clock());
  if (readings.length === 0) return false;
  const isDone = await writeAsOf(context, head, async (client) => {
    await writeReadings(client, context.chainId, readings);
    if (headWillDo) {
      const changed = readings.map(({ key: { token, standard }, since }) => ({ token, standard, since }));
      await updateHolderCounts(client, context.chainId, changed, head.number);
    } else await recountHolders(client, context.chainId, await tokensWithoutUnreadPeriods(client, context.chainId, readings));
    return true;
  });
  if (isDone !== true) return false;
  if (headWillDo) await locate(context, head, unseenChanges(readings));
  for (const { key } of readings) if (!left.some((one) => one.key.token === key.token)) deferral.clear(key.token);
  const settled = new Set([...readings, ...left].map(({ key }) => key)).size;
  return open.length > settled || wanted.length === maxBalances;
};

/** Balances that were another one after their last event than they are at the head. */
const unseenChanges = (readings: readonly NodeReading[]): SilentChange[] => {
  const later = new Map(readings.filter(({ since, readAt: height }) => since < height).map((one) => [one.key, one.balance]));
  return readings.flatMap(({ key, since, readAt: height, balance }) => {
    const after = later.get(key);
    if (since !== height || after === undefined || after === balance || key.standard !== standards.erc20) return [];
    return [{ token: key.token, owner: key.owner, since, before: balance, after }];
  });
};

interface Readings {
  readonly readings: readonly NodeReading[];
  /** What was asked for and not answered. */
  readonly left: readonly UnreadBalance[];
}

const read = async (context: JobContext, head: IndexedBlock, wanted: readonly UnreadBalance[], headWillDo: boolean): Promise<Readings> => {
  const hasState = (height: number) => context.source.capabilities.archiveState || head.number - height < recentBlocks;
  const byHeight = [...groupBy(wanted, ({ since }) => (hasState(since) ? since : head.number))].slice(0, maxHeights);
  const readings: NodeReading[] = [];
  const silent: UnreadBalance[] = [];
  for (const [height, group] of byHeight) await readAt(context, height, group, readings, silent);
  if (!headWillDo) return { readings, left: silent };
  // What was so after its last event may have changed without one since.
  const answered = new Map(readings.filter(({ readAt: height }) => height < head.number).map((one) => [one.key, one]));
  const left = silent.filter(({ since }) => since === head.number);
  const atHead: NodeReading[] = [];
  const unsaid: UnreadBalance[] = [];
  await readAt(context, head.number, [...answered.values(), ...silent.filter(({ since }) => since < head.number)], atHead, unsaid);
  readings.push(...atHead.filter(({ key, balance }) => answered.get(key)?.balance !== balance));
  left.push(...unsaid.filter(({ key }) => !answered.has(key)));
  return { readings, left };
};

const readAt = async (
  context: JobContext,
  height: number,
  group: readonly UnreadBalance[],
  readings: NodeReading[],
  silent: UnreadBalance[],
): Promise<void> => {
  const balances = await readBalances(
    context,
    group.map(({ key }) => key),
    height,
  );
  for (const [position, one] of group.entries()) {
    const balance = balances[position] ?? null;
    if (balance === null) silent.push(one);
    else readings.push({ ...one, balance, readAt: height });
  }
};
