import type { Chore } from "../../../jobs/chore.ts";
import { dueTokens, enterTokens, impossiblePairs, recordChecks, someHolders, touchedPairs } from "./check-tokens.ts";
import { comparePairs } from "./compare.ts";
import { indexedHead } from "./node-words.ts";
import type { Patience } from "./patience.ts";
import { portion, type SettlingSettings } from "./settings.ts";

/** How far back the first look reaches. */
const firstLook = 200;
/** Second looks, and looks at what cannot be, in one portion: what was touched has the rest. */
const mostSuspected = 40;
const mostImpossible = 20;
/** Tokens of one portion of the sweep, of which at most four holders each are compared. */
const sweptTokens = 22;

/** Compares balances of ERC-20 tokens that were touched of late with what the contracts say, those first that differed before. */
export const createCheckTouched = (settings: SettlingSettings, patience: Patience): Chore => {
  let seen: number | null = null;
  return {
    name: "compare balances with their contracts",
    everyMilliseconds: settings.checkMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      const deferred = patience.deferral.tokens(clock());
      const suspected = patience.suspects.due(clock()).slice(0, mostSuspected);
      const impossible = await impossiblePairs(database, chainId, deferred, mostImpossible);
      const above = Math.min(seen ?? head.number - firstLook, head.number);
      const touched = await touchedPairs(database, chainId, above, deferred, portion);
      await comparePairs(context, [...suspected, ...impossible, ...touched].slice(0, portion), patience);
      seen = head.number;
      return false;
    },
  };
};

/** Compares some holders of every ERC-20 token with what its contract says, token by token, again and again. */
export const createSweep = (settings: SettlingSettings, patience: Patience): Chore => {
  let entered = -1;
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
      const before = new Date(clock().getTime() - settings.recheckMilliseconds);
      const tokens = await dueTokens(database, chainId, before, patience.deferral.tokens(clock()), sweptTokens);
      if (tokens.length === 0) return false;
      await comparePairs(context, await someHolders(database, chainId, tokens, lotOf(clock())), patience);
      await recordChecks(database, chainId, tokens, head.number, clock());
      return false;
    },
  };
};

/** A part of one that is another one each time. */
const lotOf = (now: Date): number => (((now.getTime() * 0.618_033_988_75) % 1) + 1) % 1;
