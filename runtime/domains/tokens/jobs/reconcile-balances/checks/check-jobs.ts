import type { Job } from "../../../../../jobs/job.ts";
import { type Address, zeroAddress } from "../../../../../lib/hex.ts";
import { indexedHead } from "../as-of-head.ts";
import type { ContractBackoff } from "../contract-backoff.ts";
import { portion, type ReconciliationSettings } from "../settings.ts";
import { compareSupplies } from "../supplies/compare-supplies.ts";
import { touchedSupplies } from "../supplies/supply-offsets.ts";
import { dueTokens, enterTokens, impossiblePairs, recordChecks, recordLooks, someHolders, touchedPairs } from "./check-schedule.ts";
import { comparePairs } from "./compare-balances.ts";

/** How far back the first look reaches. */
const firstLook = 200;
/** Second looks, and looks at what cannot be, in one portion: what was touched has the rest. */
const maxSuspected = 40;
const maxImpossible = 20;
/** Tokens of one portion of the sweep, of which at most four holders each are compared. */
const sweptTokens = 22;
/** Supplies that are compared in one look, each with what the zero address has. */
const suppliesOfLook = 45;

/** Compares balances of ERC-20 tokens that were touched of late with what the contracts say, those first that differed before. */
export const createCheckTouched = (settings: ReconciliationSettings, patience: ContractBackoff): Job => {
  let seen: number | null = null;
  return {
    name: "compare balances with their contracts",
    everyMilliseconds: settings.checkMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      const deferred = patience.deferral.tokens(clock());
      const suspected = patience.suspects.due(clock()).slice(0, maxSuspected);
      const impossible = await impossiblePairs(database, chainId, deferred, maxImpossible);
      const above = Math.min(seen ?? head.number - firstLook, head.number);
      const touched = await touchedPairs(database, chainId, above, deferred, portion);
      await comparePairs(context, [...suspected, ...impossible, ...touched].slice(0, portion), patience);
      seen = head.number;
      return false;
    },
  };
};

/** Compares supplies of ERC-20 tokens that minted or burned of late with what the contracts return. */
export const createCheckSupplies = (settings: ReconciliationSettings, { deferral }: ContractBackoff): Job => {
  let seen: number | null = null;
  return {
    name: "compare supplies with their contracts",
    everyMilliseconds: settings.checkMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      const above = Math.min(seen ?? head.number - firstLook, head.number);
      const tokens = await touchedSupplies(database, chainId, above, deferral.tokens(clock()), suppliesOfLook);
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
export const createSweep = (settings: ReconciliationSettings, patience: ContractBackoff): Job => {
  let entered = -1;
  let askedAfter: Address = zeroAddress;
  const waits = {
    first: settings.firstRecheckMilliseconds / 1000,
    max: settings.recheckMilliseconds / 1000,
    maxAsked: settings.askedMilliseconds / 1000,
  };
  return {
    name: "compare every token with its contract",
    everyMilliseconds: settings.sweepMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      // A reorganisation may have replaced what was entered: the last blocks are looked at again.
      await enterTokens(database, chainId, Math.min(entered, head.number) - firstLook);
      entered = head.number;
      const deferred = patience.deferral.tokens(clock());
      const { tokens: due, askedUpTo } = await dueTokens(database, chainId, clock(), deferred, askedAfter, sweptTokens);
      askedAfter = askedUpTo;
      const tokens = due.map(({ token }) => token);
      const unsourced = due.flatMap(({ token, isSourced }) => (isSourced ? [] : [token]));
      const pairs = unsourced.length === 0 ? [] : await someHolders(database, chainId, unsourced, lotOf(clock()));
      const balances = await comparePairs(context, pairs, patience);
      const supplies = new Map((await compareSupplies(context, tokens, patience.deferral)).map((one) => [one.token, one]));
      const proven = [...supplies.values()].flatMap(({ token, proves }) => (proves ? [token] : []));
      await recordChecks(database, chainId, proven, head.number, clock());
      // Without an outcome, the node did not have the indexed block: the tokens remain due.
      const compared = tokens.filter((token) => supplies.has(token) && (balances.isDone || !unsourced.includes(token)));
      const looks = compared.map((token) => ({
        token,
        agrees: !balances.differing.has(token) && supplies.get(token)?.agrees !== false,
        proves: balances.proven.has(token) || supplies.get(token)?.proves === true,
      }));
      await recordLooks(database, chainId, looks, waits, clock());
      return false;
    },
  };
};

/** A part of one that is another one each time. */
const lotOf = (now: Date): number => (((now.getTime() * 0.618_033_988_75) % 1) + 1) % 1;
