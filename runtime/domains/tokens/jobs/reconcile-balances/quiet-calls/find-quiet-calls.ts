import type { IndexedBlock } from "../../../../../indexer/types.ts";
import type { Job, JobContext } from "../../../../../jobs/job.ts";
import { groupBy } from "../../../../../lib/group-by.ts";
import { indexedHead, isIndexedBlock, writeIfCanonicalKeepingCache } from "../as-of-head.ts";
import type { CheckState } from "../check-state.ts";
import { expediteChecks, type TokenHolder } from "../checks/check-schedule.ts";
import { compareBalances } from "../checks/compare-balances.ts";
import { maxComparisons, type ReconciliationSettings } from "../settings.ts";
import { markSearched, pastQuietCalls, type QuietCall, queueQuietCalls, quietCalls, unsearchedTokens } from "./quiet-calls.ts";

/** The number of blocks before the head that the first run and each run after a reorganisation include. */
const firstLookback = 200;
/** Max quiet calls per run, and past quiet calls per token. */
const callsPerRun = 2_000;
const maxPastCalls = 2_000;
/** Max owners per token that a run compares, taken from the newest calls. */
const ownersPerToken = 4;

/**
 * Finds quiet calls to ERC-20 tokens. The owners that a call names are compared in the same run, and the token soon afterwards. The holders of a node-sourced
 * token are queued to be read as of the call's block.
 */
export const createFindQuietCallsJob = (settings: ReconciliationSettings, state: CheckState): Job => {
  let lastHead: IndexedBlock | null = null;
  return {
    name: "find-quiet-calls",
    intervalMilliseconds: settings.checkMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      const isStillIndexed = lastHead !== null && (await isIndexedBlock(database, chainId, lastHead));
      const afterBlock = Math.max(head.number - firstLookback, lastHead !== null && isStillIndexed ? lastHead.number : 0);
      const calls = await quietCalls(database, chainId, afterBlock, callsPerRun);
      const tokens = [...new Set(calls.map(({ token }) => token))];
      await expediteChecks(database, chainId, tokens, clock(), settings.minQuietCallIntervalMilliseconds / 1000);
      await compareBalances(context, namedOwners(calls), state);
      if (await queueCalls(context, head, calls)) lastHead = head;
      return searchPast(context, head);
    },
  };
};

/** Queues the calls to node-sourced tokens; false if this process may not write. */
const queueCalls = async (context: JobContext, head: IndexedBlock, calls: readonly QuietCall[]): Promise<boolean> => {
  const nodeSourced = calls.filter(({ isNodeSourced }) => isNodeSourced);
  if (nodeSourced.length === 0) return true;
  const isQueued = await writeIfCanonicalKeepingCache(context, head, async (client) => {
    await queueQuietCalls(client, context.chainId, nodeSourced);
    return true;
  });
  return isQueued === true;
};

/** The owners that calls name, a few per token; tokens with the newest calls are first. */
const namedOwners = (calls: readonly QuietCall[]): TokenHolder[] => {
  const byToken = groupBy(
    calls.filter(({ isNodeSourced }) => !isNodeSourced),
    ({ token }) => token,
  );
  const owners = [...byToken].map(([token, tokenCalls]) =>
    [...new Set(tokenCalls.flatMap((call) => call.owners))].slice(0, ownersPerToken).map((owner): TokenHolder => ({ token, owner })),
  );
  // The first owner of every token precedes the second owner of any.
  return Array.from({ length: ownersPerToken }, (_, position) => owners.flatMap((tokenOwners) => tokenOwners[position] ?? []))
    .flat()
    .slice(0, maxComparisons);
};

/** Queues the past quiet calls of one node-sourced token whose past has not been searched; true if it was searched, so that others may follow. */
const searchPast = async (context: JobContext, head: IndexedBlock): Promise<boolean> => {
  const [token] = await unsearchedTokens(context.database, context.chainId, 1);
  if (token === undefined) return false;
  const calls = await pastQuietCalls(context.database, context.chainId, token, maxPastCalls);
  const isDone = await writeIfCanonicalKeepingCache(context, head, async (client) => {
    await queueQuietCalls(client, context.chainId, calls);
    await markSearched(client, context.chainId, token);
    return true;
  });
  return isDone === true;
};
