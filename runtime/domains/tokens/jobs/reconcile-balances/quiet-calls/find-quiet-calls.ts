import type { IndexedBlock } from "../../../../../indexer/types.ts";
import type { Job, JobContext } from "../../../../../jobs/job.ts";
import { groupBy } from "../../../../../lib/group-by.ts";
import { indexedHead, isIndexedBlock, writeBesideAsOf } from "../as-of-head.ts";
import { bringForward, type Pair } from "../checks/check-schedule.ts";
import { comparePairs } from "../checks/compare-balances.ts";
import type { ContractBackoff } from "../contract-backoff.ts";
import { portion, type ReconciliationSettings } from "../settings.ts";
import { enterQuietCalls, markSearched, pastQuietCalls, type QuietCall, quietCalls, unsearchedTokens } from "./quiet-calls.ts";

/** How far back the first look reaches, and each after a reorganisation. */
const firstLook = 200;
/** Quiet calls of one look, and those of the past of a token. */
const callsOfLook = 2_000;
const pastCalls = 2_000;
/** Owners of one token that are compared after a look: those that its newest calls name. */
const ownersOfToken = 4;

/**
 * Follows calls to ERC-20 tokens that moved nothing: the token is compared soon, whom the call named at once, and the holders of a node-sourced token are
 * read as of the call's block.
 */
export const createFollowCalls = (settings: ReconciliationSettings, patience: ContractBackoff): Job => {
  let seen: IndexedBlock | null = null;
  return {
    name: "follow calls to tokens that moved nothing",
    everyMilliseconds: settings.checkMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      const above = Math.max(head.number - firstLook, seen !== null && (await isIndexedBlock(database, chainId, seen)) ? seen.number : 0);
      const calls = await quietCalls(database, chainId, above, callsOfLook);
      const tokens = [...new Set(calls.map(({ token }) => token))];
      await bringForward(database, chainId, tokens, clock(), settings.quietMilliseconds / 1000);
      await comparePairs(context, pairsOf(calls), patience);
      const sourced = calls.filter(({ isSourced }) => isSourced);
      const isEntered =
        sourced.length === 0 || (await writeBesideAsOf(context, head, (client) => enter(client, chainId, sourced))) !== null;
      if (isEntered) seen = head;
      return searchPast(context, head);
    },
  };
};

const enter = async (client: Parameters<typeof enterQuietCalls>[0], chainId: number, calls: readonly QuietCall[]): Promise<true> => {
  await enterQuietCalls(client, chainId, calls);
  return true;
};

/** Owners that calls named, a few a token, tokens with the newest calls first. */
const pairsOf = (calls: readonly QuietCall[]): Pair[] => {
  const byToken = groupBy(
    calls.filter(({ isSourced }) => !isSourced),
    ({ token }) => token,
  );
  const pairs = [...byToken].map(([token, own]) =>
    [...new Set(own.flatMap(({ owners }) => owners))].slice(0, ownersOfToken).map((owner): Pair => ({ token, owner })),
  );
  // Each token's first before any token's second.
  return Array.from({ length: ownersOfToken }, (_, place) => pairs.flatMap((own) => own[place] ?? []))
    .flat()
    .slice(0, portion);
};

/** Enters the quiet calls of one token that became node-sourced after them. */
const searchPast = async (context: JobContext, head: IndexedBlock): Promise<boolean> => {
  const [token] = await unsearchedTokens(context.database, context.chainId, 1);
  if (token === undefined) return false;
  const calls = await pastQuietCalls(context.database, context.chainId, token, pastCalls);
  const isDone = await writeBesideAsOf(context, head, async (client) => {
    await enterQuietCalls(client, context.chainId, calls);
    await markSearched(client, context.chainId, token);
    return true;
  });
  return isDone === true;
};
