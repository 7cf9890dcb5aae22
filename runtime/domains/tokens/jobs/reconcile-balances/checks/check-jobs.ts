import type { Job } from "../../../../../jobs/job.ts";
import { type Address, zeroAddress } from "../../../../../lib/hex.ts";
import { indexedHead } from "../as-of-head.ts";
import type { CheckState } from "../check-state.ts";
import { maxComparisons, type ReconciliationSettings } from "../settings.ts";
import { compareSupplies } from "../supplies/compare-supplies.ts";
import { touchedSupplies } from "../supplies/supply-offsets.ts";
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

/** How far back the first look reaches. */
const firstLookback = 200;
/** Second looks, and looks at what cannot be, in one portion: what was touched has the rest. */
const maxSuspected = 40;
const maxOutOfRange = 20;
/** Tokens of one portion of the sweep, of which at most four holders each are compared. */
const tokensPerRun = 22;
/** Supplies that are compared in one look, each with what the zero address has. */
const suppliesPerRun = 45;

/** Compares balances of ERC-20 tokens that were touched of late with what the contracts say, those first that differed before. */
export const createCompareTouchedBalances = (settings: ReconciliationSettings, patience: CheckState): Job => {
  let seen: number | null = null;
  return {
    name: "compare-touched-balances",
    everyMilliseconds: settings.checkMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      const deferred = patience.backoff.tokens(clock());
      const suspected = patience.suspects.due(clock()).slice(0, maxSuspected);
      const impossible = await outOfRangeHolders(database, chainId, deferred, maxOutOfRange);
      const above = Math.min(seen ?? head.number - firstLookback, head.number);
      const touched = await touchedHolders(database, chainId, above, deferred, maxComparisons);
      await compareBalances(context, [...suspected, ...impossible, ...touched].slice(0, maxComparisons), patience);
      seen = head.number;
      return false;
    },
  };
};

/** Compares supplies of ERC-20 tokens that minted or burned of late with what the contracts return. */
export const createCompareTouchedSupplies = (settings: ReconciliationSettings, { backoff: deferral }: CheckState): Job => {
  let seen: number | null = null;
  return {
    name: "compare-supplies",
    everyMilliseconds: settings.checkMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      const above = Math.min(seen ?? head.number - firstLookback, head.number);
      const tokens = await touchedSupplies(database, chainId, above, deferral.tokens(clock()), suppliesPerRun);
      await compareSupplies(context, tokens, deferral);
      seen = head.number;
      return false;
    },
  };
};

/**
 * Compares some holders of every ERC-20 token, and its supply, with what its contract returns: soon after the token's first transfer, then ever more rarely while
 * they agree. Tokens that calls brought forward, those that requests asked for and all others have a share of each look, the one due for longest first.
 */
export const createSweep = (settings: ReconciliationSettings, patience: CheckState): Job => {
  let entered = -1;
  let askedAfter: Address = zeroAddress;
  const waits = {
    first: settings.firstRecheckMilliseconds / 1000,
    max: settings.recheckMilliseconds / 1000,
    maxRequested: settings.requestedMilliseconds / 1000,
  };
  return {
    name: "sweep-tokens",
    everyMilliseconds: settings.sweepMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      // A reorganisation may have replaced what was entered: the last blocks are looked at again.
      await addNewTokens(database, chainId, Math.min(entered, head.number) - firstLookback);
      entered = head.number;
      const deferred = patience.backoff.tokens(clock());
      const { tokens: due, askedUpTo } = await dueTokens(database, chainId, clock(), deferred, askedAfter, tokensPerRun);
      askedAfter = askedUpTo;
      const tokens = due.map(({ token }) => token);
      const unsourced = due.flatMap(({ token, isSourced }) => (isSourced ? [] : [token]));
      const pairs = unsourced.length === 0 ? [] : await sampleHolders(database, chainId, unsourced, sampleOffsetAt(clock()));
      const balances = await compareBalances(context, pairs, patience);
      const supplies = new Map((await compareSupplies(context, tokens, patience.backoff)).map((one) => [one.token, one]));
      const proven = [...supplies.values()].flatMap(({ token, isConclusive: proves }) => (proves ? [token] : []));
      await recordChecks(database, chainId, proven, head.number, clock());
      // Without an outcome, the node did not have the indexed block: the tokens remain due.
      const compared = tokens.filter((token) => supplies.has(token) && (balances.isDone || !unsourced.includes(token)));
      const looks = compared.map((token) => ({
        token,
        agrees: !balances.differing.has(token) && supplies.get(token)?.agrees !== false,
        isConclusive: balances.conclusive.has(token) || supplies.get(token)?.isConclusive === true,
      }));
      await scheduleChecks(database, chainId, looks, waits, clock());
      return false;
    },
  };
};

/** A part of one that is another one each time. */
const sampleOffsetAt = (now: Date): number => (((now.getTime() * 0.618_033_988_75) % 1) + 1) % 1;
