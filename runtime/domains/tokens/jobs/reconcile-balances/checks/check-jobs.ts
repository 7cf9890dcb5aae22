import type { Job } from "../../../../../jobs/job.ts";
import { type Address, zeroAddress } from "../../../../../lib/hex.ts";
import { indexedHead } from "../as-of-head.ts";
import type { CheckState } from "../check-state.ts";
import { maxComparisons, type ReconciliationSettings } from "../settings.ts";
import { compareSupplies } from "../supplies/compare-supplies.ts";
import { mintedOrBurnedTokens } from "../supplies/supply-offsets.ts";
import {
  addNewTokens,
  dueTokens,
  outOfRangeHolders,
  recordChecks,
  sampleHolders,
  scheduleChecks,
  touchedHolders,
} from "./check-schedule.ts";
import { compareBalances } from "./compare-balances.ts";

/** The number of blocks before the head that the first run includes. */
const firstLookback = 200;
/** Max suspects and out-of-range balances per run. The remaining comparisons are of recently touched balances. */
const maxSuspected = 40;
const maxOutOfRange = 20;
/** Max tokens per portion of the sweep, with at most four holders each. */
const tokensPerRun = 22;
/** Max supplies per run, each with the balance of the zero address. */
const suppliesPerRun = 45;

/** Compares recently touched ERC-20 balances with their contracts, suspects first. */
export const createCompareTouchedBalancesJob = (settings: ReconciliationSettings, state: CheckState): Job => {
  let lastHead: number | null = null;
  return {
    name: "compare-touched-balances",
    intervalMilliseconds: settings.checkMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      const skipped = state.backoff.contractsToSkip(clock());
      const suspected = state.suspects.due(clock()).slice(0, maxSuspected);
      const outOfRange = await outOfRangeHolders(database, chainId, skipped, maxOutOfRange);
      const afterBlock = Math.min(lastHead ?? head.number - firstLookback, head.number);
      const touched = await touchedHolders(database, chainId, afterBlock, skipped, maxComparisons);
      await compareBalances(context, [...suspected, ...outOfRange, ...touched].slice(0, maxComparisons), state);
      lastHead = head.number;
      return false;
    },
  };
};

/** Compares the supplies of recently minted or burned ERC-20 tokens with `totalSupply()`. */
export const createCompareTouchedSuppliesJob = (settings: ReconciliationSettings, { backoff }: CheckState): Job => {
  let lastHead: number | null = null;
  return {
    name: "compare-supplies",
    intervalMilliseconds: settings.checkMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      const afterBlock = Math.min(lastHead ?? head.number - firstLookback, head.number);
      const tokens = await mintedOrBurnedTokens(database, chainId, afterBlock, backoff.contractsToSkip(clock()), suppliesPerRun);
      await compareSupplies(context, tokens, backoff);
      lastHead = head.number;
      return false;
    },
  };
};

/**
 * Compares every ERC-20 token's supply, and a sample of its holders, with its contract: soon after the token's first transfer, then at growing intervals while
 * they agree. Urgent, requested and all other tokens each have a share of a run, in order of their due time.
 */
export const createSweepJob = (settings: ReconciliationSettings, state: CheckState): Job => {
  let addedUpTo = -1;
  let requestedAfter: Address = zeroAddress;
  const intervals = {
    first: settings.firstRecheckMilliseconds / 1000,
    max: settings.maxRecheckMilliseconds / 1000,
    maxRequested: settings.requestedTokenIntervalMilliseconds / 1000,
  };
  return {
    name: "sweep-tokens",
    intervalMilliseconds: settings.sweepMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      // A reorganisation may have replaced the last blocks, so they are searched again.
      await addNewTokens(database, chainId, Math.min(addedUpTo, head.number) - firstLookback);
      addedUpTo = head.number;
      const skipped = state.backoff.contractsToSkip(clock());
      const { tokens: due, requestedUpTo } = await dueTokens(database, chainId, clock(), skipped, requestedAfter, tokensPerRun);
      requestedAfter = requestedUpTo;
      const tokens = due.map(({ token }) => token);
      const eventSourced = due.flatMap(({ token, isNodeSourced }) => (isNodeSourced ? [] : [token]));
      const holders = eventSourced.length === 0 ? [] : await sampleHolders(database, chainId, eventSourced, sampleOffsetAt(clock()));
      const balances = await compareBalances(context, holders, state);
      const supplies = new Map((await compareSupplies(context, tokens, state.backoff)).map((comparison) => [comparison.token, comparison]));
      const conclusive = [...supplies.values()].flatMap(({ token, isConclusive }) => (isConclusive ? [token] : []));
      await recordChecks(database, chainId, conclusive, head.number, clock());
      // A token without a result stays due: the node did not have the indexed block.
      const compared = tokens.filter((token) => supplies.has(token) && (balances.isDone || !eventSourced.includes(token)));
      const results = compared.map((token) => ({
        token,
        agrees: !balances.differingTokens.has(token) && supplies.get(token)?.agrees !== false,
        isConclusive: balances.conclusiveTokens.has(token) || supplies.get(token)?.isConclusive === true,
      }));
      await scheduleChecks(database, chainId, results, intervals, clock());
      return false;
    },
  };
};

/** A fraction below 1 that differs between runs: multiples of the golden ratio are evenly distributed. */
const sampleOffsetAt = (now: Date): number => (((now.getTime() * 0.618_033_988_75) % 1) + 1) % 1;
