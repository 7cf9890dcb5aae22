import type { IndexedBlock } from "../../../../../indexer/types.ts";
import type { JobContext } from "../../../../../jobs/job.ts";
import { groupBy } from "../../../../../lib/group-by.ts";
import type { Address } from "../../../../../lib/hex.ts";
import { writeIfCanonicalKeepingCache } from "../as-of-head.ts";
import type { ReconciliationSettings } from "../settings.ts";
import { readUint256s } from "../supplies/read-uint256.ts";
import { chooseProbes, fillGap, type Gap, type Reading, type Step } from "../supplies/step-function.ts";
import { queueQuietCalls } from "./quiet-calls.ts";

/** A balance of a node-sourced token that changed between a block and the head without an event. */
export interface EventlessChange {
  readonly token: Address;
  readonly owner: Address;
  readonly since: number;
  readonly before: bigint;
  readonly after: bigint;
}

/** Max owners per token whose changes are located, probes per gap, gaps per round, and rounds. */
const ownersPerToken = 4;
const probesPerGap = 24;
const gapsPerRound = 8;
const maxRounds = 5;
/** If more than this share of the first readings differ from the preceding reading, the balance is treated as continuously changing, as with interest. */
const maxChangedShare = 0.75;
/** Max tokens whose last search is remembered. */
const maxTokens = 1_000;

/**
 * Locates the blocks in which balances of node-sourced tokens changed without a call in the index (by internal calls, or over time), and queues all holders of
 * the token to be read as of these blocks. Requires an archive node; limited to one search per token and interval.
 */
export const createChangeLocator = ({ requestedTokenIntervalMilliseconds }: ReconciliationSettings) => {
  const searchedAt = new Map<Address, number>();
  const isDue = (token: Address, now: number): boolean => {
    if (now - (searchedAt.get(token) ?? Number.NEGATIVE_INFINITY) < requestedTokenIntervalMilliseconds / 2) return false;
    searchedAt.delete(token);
    searchedAt.set(token, now);
    const oldest = searchedAt.keys().next().value;
    if (searchedAt.size > maxTokens && oldest !== undefined) searchedAt.delete(oldest);
    return true;
  };
  return async (context: JobContext, head: IndexedBlock, changes: readonly EventlessChange[]): Promise<void> => {
    if (!context.source.capabilities.hasArchiveState) return;
    const now = context.clock().getTime();
    for (const [token, tokenChanges] of groupBy(changes, (change) => change.token)) {
      if (!isDue(token, now)) continue;
      const blocks = new Set<number>();
      for (const change of tokenChanges.slice(0, ownersPerToken)) {
        for (const block of await locate(context, change, head.number)) blocks.add(block);
      }
      const calls = [...blocks].map((block) => ({ token, block, owners: [], isNodeSourced: true }));
      if (calls.length > 0) await writeIfCanonicalKeepingCache(context, head, (client) => queueQuietCalls(client, context.chainId, calls));
    }
  };
};

/** The blocks in which a balance changed, as far as the limits above allow. */
const locate = async (context: JobContext, { token, owner, since, before, after }: EventlessChange, head: number): Promise<number[]> => {
  const located: number[] = [];
  let gaps: Gap[] = since + 1 < head ? [{ first: since + 1, last: head - 1, before, after }] : [];
  for (let round = 0; round < maxRounds && gaps.length > 0; round += 1) {
    const read = await readGaps(context, token, owner, gaps.slice(0, gapsPerRound));
    if (round === 0 && read.some(changesContinuously)) return [];
    const narrowed = read.map(({ gap, readings }) => narrow(gap, fillGap(gap, readings, false)));
    located.push(...narrowed.flatMap(({ blocks }) => blocks));
    gaps = narrowed.flatMap((result) => result.gaps);
  }
  return located.filter((block) => block < head);
};

interface ReadGap {
  readonly gap: Gap;
  readonly readings: readonly Reading[];
}

const readGaps = async (context: JobContext, token: Address, owner: Address, gaps: readonly Gap[]): Promise<ReadGap[]> => {
  const probed = gaps.map((gap) => ({ gap, blocks: chooseProbes(gap, [], probesPerGap, false).blocks }));
  const results = await readUint256s(
    context,
    probed.flatMap(({ blocks }) => blocks.map((block) => ({ token, owner, block }))),
  );
  let next = 0;
  return probed.map(({ gap, blocks }) => ({
    gap,
    readings: blocks.flatMap((block): Reading[] => {
      const result = results[next++];
      return typeof result === "bigint" ? [{ block, value: result }] : [];
    }),
  }));
};

const changesContinuously = ({ gap, readings }: ReadGap): boolean => {
  const changed = readings.filter(({ value }, position) => value !== (readings[position - 1]?.value ?? gap.before));
  return gap.last - gap.first >= probesPerGap && changed.length > readings.length * maxChangedShare;
};

/**
 * Blocks in which the balance changed according to the steps of a gap, and the smaller gaps that remain. The change after a remaining gap is not located yet.
 */
const narrow = (gap: Gap, steps: readonly Step[]): { readonly blocks: readonly number[]; readonly gaps: readonly Gap[] } => ({
  blocks: steps.flatMap(({ block, value }, position) =>
    value !== undefined && (position === 0 || steps[position - 1]?.value !== undefined) ? [block] : [],
  ),
  gaps: steps.flatMap(({ block, value }, position): Gap[] => {
    const nextStep = steps[position + 1];
    if (value !== undefined || nextStep === undefined) return [];
    const before = position === 0 ? gap.before : steps[position - 1]?.value;
    return [{ first: block, last: nextStep.block - 1, before, after: nextStep.value ?? null }];
  }),
});
