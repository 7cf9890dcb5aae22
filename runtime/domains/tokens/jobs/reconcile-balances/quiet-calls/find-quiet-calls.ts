import type { IndexedBlock } from "../../../../../indexer/types.ts";
import type { Job, JobContext } from "../../../../../jobs/job.ts";
import { groupBy } from "../../../../../lib/group-by.ts";
import { indexedHead, isIndexedBlock, writeBesideAsOf } from "../as-of-head.ts";
import type { CheckState } from "../check-state.ts";
import { expediteChecks, type TokenHolder } from "../checks/check-schedule.ts";
import { compareBalances } from "../checks/compare-balances.ts";
import { maxComparisons, type ReconciliationSettings } from "../settings.ts";
import { markSearched, pastQuietCalls, type QuietCall, queueQuietCalls, quietCalls, unsearchedTokens } from "./quiet-calls.ts";

/** How far back the first look reaches, and each after a reorganisation. */
const firstLookback = 200;
/** Quiet calls of one look, and those of the past of a token. */
const callsPerRun = 2_000;
const pastCalls = 2_000;
/** Owners of one token that are compared after a look: those that its newest calls name. */
const ownersPerToken = 4;

/**
 * Follows calls to ERC-20 tokens that moved nothing: the token is compared soon, whom the call named at once, and the holders of a node-sourced token are
 * read as of the call's block.
 */
export const createFindQuietCalls = (settings: ReconciliationSettings, patience: CheckState): Job => {
  let seen: IndexedBlock | null = null;
  return {
    name: "find-quiet-calls",
    everyMilliseconds: settings.checkMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      const above = Math.max(
        head.number - firstLookback,
        seen !== null && (await isIndexedBlock(database, chainId, seen)) ? seen.number : 0,
      );
      const calls = await quietCalls(database, chainId, above, callsPerRun);
      const tokens = [...new Set(calls.map(({ token }) => token))];
      await expediteChecks(database, chainId, tokens, clock(), settings.quietMilliseconds / 1000);
      await compareBalances(context, pairsOf(calls), patience);
      const sourced = calls.filter(({ isSourced }) => isSourced);
      const isEntered =
        sourced.length === 0 || (await writeBesideAsOf(context, head, (client) => enter(client, chainId, sourced))) !== null;
      if (isEntered) seen = head;
      return searchPast(context, head);
    },
  };
};

const enter = async (client: Parameters<typeof queueQuietCalls>[0], chainId: number, calls: readonly QuietCall[]): Promise<true> => {
  await queueQuietCalls(client, chainId, calls);
  return true;
};

/** Owners that calls named, a few a token, tokens with the newest calls first. */
const pairsOf = (calls: readonly QuietCall[]): TokenHolder[] => {
  const byToken = groupBy(
    calls.filter(({ isSourced }) => !isSourced),
    ({ token }) => token,
  );
  const pairs = [...byToken].map(([token, own]) =>
    [...new Set(own.flatMap(({ owners }) => owners))].slice(0, ownersPerToken).map((owner): TokenHolder => ({ token, owner })),
  );
  // Each token's first before any token's second.
  return Array.from({ length: ownersPerToken }, (_, place) => pairs.flatMap((own) => own[place] ?? []))
    .flat()
    .slice(0, maxComparisons);
};

/** Enters the quiet calls of one token that became node-sourced after them. */
const searchPast = async (context: JobContext, head: IndexedBlock): Promise<boolean> => {
  const [token] = await unsearchedTokens(context.database, context.chainId, 1);
  if (token === undefined) return false;
  const calls = await pastQuietCalls(context.database, context.chainId, token, pastCalls);
  const isDone = await writeBesideAsOf(context, head, async (client) => {
    await queueQuietCalls(client, context.chainId, calls);
    await markSearched(client, context.chainId, token);
    return true;
  });
  return isDone === true;
};
