import type { IndexedBlock } from "../../../../../indexer/types.ts";
import type { JobContext } from "../../../../../jobs/job.ts";
import { groupBy } from "../../../../../lib/group-by.ts";
import type { Address } from "../../../../../lib/hex.ts";
import { writeBesideAsOf } from "../as-of-head.ts";
import type { ReconciliationSettings } from "../settings.ts";
import { readNumbers } from "../supplies/read-numbers.ts";
import { chooseProbes, fillGap, type Gap, type Reading, type Step } from "../supplies/step-function.ts";
import { queueQuietCalls } from "./quiet-calls.ts";

/** A balance of a node-sourced token that was one thing after a block and another at the head, without an event between. */
export interface SilentChange {
  readonly token: Address;
  readonly owner: Address;
  readonly since: number;
  readonly before: bigint;
  readonly after: bigint;
}

/** Owners of a token whose changes are located, blocks that a gap is read at, gaps of one round, and rounds. */
const ownersPerToken = 4;
const probesPerGap = 24;
const gapsPerRound = 8;
const maxRounds = 5;
/** Where a larger part of the first readings than this differs from the one before, the balance changes by itself, as with interest: no block stands out. */
const maxChangedShare = 0.75;
const maxTokens = 1_000;

/**
 * Finds the blocks in which balances of node-sourced tokens changed in calls that the index cannot see (inside of other calls, or by time alone), and has all
 * holders of the token read as of them. Needs an archive node; a token is looked at now and then alone.
 */
export const createChangeLocator = ({ requestedMilliseconds: askedMilliseconds }: ReconciliationSettings) => {
  const looked = new Map<Address, number>();
  const isDue = (token: Address, now: number): boolean => {
    if (now - (looked.get(token) ?? Number.NEGATIVE_INFINITY) < askedMilliseconds / 2) return false;
    looked.delete(token);
    looked.set(token, now);
    const oldest = looked.keys().next().value;
    if (looked.size > maxTokens && oldest !== undefined) looked.delete(oldest);
    return true;
  };
  return async (context: JobContext, head: IndexedBlock, changes: readonly SilentChange[]): Promise<void> => {
    if (!context.source.capabilities.archiveState) return;
    const now = context.clock().getTime();
    for (const [token, own] of groupBy(changes, (change) => change.token)) {
      if (!isDue(token, now)) continue;
      const blocks = new Set<number>();
      for (const change of own.slice(0, ownersPerToken)) for (const block of await locate(context, change, head.number)) blocks.add(block);
      const calls = [...blocks].map((block) => ({ token, block, owners: [], isSourced: true }));
      if (calls.length > 0) await writeBesideAsOf(context, head, (client) => queueQuietCalls(client, context.chainId, calls));
    }
  };
};

/** The blocks in which a balance changed, as far as they are found within bounds. */
const locate = async (context: JobContext, { token, owner, since, before, after }: SilentChange, head: number): Promise<number[]> => {
  const found: number[] = [];
  let gaps: Gap[] = since + 1 < head ? [{ first: since + 1, last: head - 1, before, after }] : [];
  for (let round = 0; round < maxRounds && gaps.length > 0; round += 1) {
    const read = await readGaps(context, token, owner, gaps.slice(0, gapsPerRound));
    if (round === 0 && read.some(changesByItself)) return [];
    const narrowed = read.map(({ gap, readings }) => narrow(gap, fillGap(gap, readings, false)));
    found.push(...narrowed.flatMap(({ blocks }) => blocks));
    gaps = narrowed.flatMap((one) => one.gaps);
  }
  return found.filter((block) => block < head);
};

interface ReadGap {
  readonly gap: Gap;
  readonly readings: readonly Reading[];
}

const readGaps = async (context: JobContext, token: Address, owner: Address, gaps: readonly Gap[]): Promise<ReadGap[]> => {
  const probed = gaps.map((gap) => ({ gap, blocks: chooseProbes(gap, [], probesPerGap, false).blocks }));
  const answers = await readNumbers(
    context,
    probed.flatMap(({ blocks }) => blocks.map((block) => ({ token, owner, block }))),
  );
  let next = 0;
  return probed.map(({ gap, blocks }) => ({
    gap,
    readings: blocks.flatMap((block): Reading[] => {
      const answer = answers[next++];
      return typeof answer === "bigint" ? [{ block, value: answer }] : [];
    }),
  }));
};

const changesByItself = ({ gap, readings }: ReadGap): boolean => {
  const changed = readings.filter(({ value }, place) => value !== (readings[place - 1]?.value ?? gap.before));
  return gap.last - gap.first >= probesPerGap && changed.length > readings.length * maxChangedShare;
};

/** What the steps of a gap show: blocks in which the balance changed, and smaller gaps. After a gap it is not known yet which block changed it. */
const narrow = (gap: Gap, steps: readonly Step[]): { readonly blocks: readonly number[]; readonly gaps: readonly Gap[] } => ({
  blocks: steps.flatMap(({ block, value }, place) =>
    value !== undefined && (place === 0 || steps[place - 1]?.value !== undefined) ? [block] : [],
  ),
  gaps: steps.flatMap(({ block, value }, place): Gap[] => {
    const following = steps[place + 1];
    if (value !== undefined || following === undefined) return [];
    const before = place === 0 ? gap.before : steps[place - 1]?.value;
    return [{ first: block, last: following.block - 1, before, after: following.value ?? null }];
  }),
});
