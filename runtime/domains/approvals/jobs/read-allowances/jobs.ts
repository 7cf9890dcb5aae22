import type { IndexedBlock } from "../../../../indexer/types.ts";
import type { Job } from "../../../../jobs/job.ts";
import { createTokenBackoff, type TokenBackoff } from "../../../../jobs/token-backoff.ts";
import { indexedHead, writeAsOf } from "../../../tokens/jobs/reconcile-balances/as-of-head.ts";
import { askAllowances, pairKey } from "./ask-allowances.ts";
import { doubtfulAmong, duePairs, hasBlock, newPairs, type Pair, pairsAfter } from "./pairs.ts";
import { defaultAllowanceReadSettings, maxPairs, type ReadingSettings } from "./settings.ts";
import { markRead, markSilent, takeReadsBack, writeReadings } from "./write-readings.ts";

/** What keeps allowances true where events do not: what is in doubt is read at once, and the rest little by little. */
export const createAllowanceJobs = (overrides: Partial<ReadingSettings> = {}): Job[] => {
  const settings = { ...defaultAllowanceReadSettings, ...overrides };
  const deferral = createTokenBackoff(settings.deferMilliseconds);
  return [createReadDoubtful(settings, deferral), createSweep(settings, deferral)];
};

/** Reads the allowances of owners whose tokens somebody else moved. */
const createReadDoubtful = ({ readMilliseconds }: ReadingSettings, deferral: TokenBackoff): Job => {
  let seen: IndexedBlock | null = null;
  return {
    name: "read-doubtful-allowances",
    everyMilliseconds: readMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      // A process that starts does not know what happened before.
      if (seen === null || !(await hasBlock(database, chainId, seen))) {
        const done = await context.exclusive((client) => takeReadsBack(client, chainId).then(() => true));
        if (done === null) return false;
      }
      seen = head;
      const pairs = await duePairs(database, chainId, head.number, deferral.deferred(clock()));
      if (pairs.length === 0) return false;
      const { readings, answered, silent, refused } = await askAllowances(context, head.number, pairs);
      const isWritten = await writeAsOf(context, head, async (client) => {
        await writeReadings(client, chainId, head.number, readings);
        await markRead(client, chainId, head, answered);
        await markSilent(client, chainId, refused);
        return true;
      });
      if (isWritten === null) return false;
      for (const { token } of answered) deferral.clear(token);
      for (const { token } of silent) deferral.defer(token, clock());
      return answered.length > 0;
    },
  };
};

/** Before the first owner there is. */
const beginning: Pair = { owner: "0x", token: "0x" };
const half = maxPairs / 4;

/**
 * Reads allowances that nothing casts doubt on, as a contract may lie in its Approval, or lower an allowance unseen: some of those that were given since
 * the last look, and all there are in the order of their owners, round by round.
 */
const createSweep = ({ sweepMilliseconds }: ReadingSettings, deferral: TokenBackoff): Job => {
  let above: number | null = null;
  let after = beginning;
  return {
    name: "compare-allowances",
    everyMilliseconds: sweepMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      const given = await newPairs(database, chainId, above ?? head.number, head.number, half);
      const next = await pairsAfter(database, chainId, after, half);
      const left = new Set(deferral.deferred(clock()));
      const pairs = [...new Map([...given, ...next].map((pair) => [pairKey(pair), pair])).values()].filter(({ token }) => !left.has(token));
      const { readings, answered, silent } = await askAllowances(context, head.number, pairs);
      for (const { token } of silent) deferral.defer(token, clock());
      // What was given up, as its contract gave no answer for long, is known again once it does.
      const doubtful = await doubtfulAmong(database, chainId, head.number, answered);
      if (readings.length > 0 || doubtful.length > 0) {
        const isWritten = await writeAsOf(context, head, async (client) => {
          await writeReadings(client, chainId, head.number, readings);
          if (doubtful.length > 0) await markRead(client, chainId, head, doubtful);
          return true;
        });
        if (isWritten === null) return false;
      }
      above = head.number;
      after = next.at(-1) ?? beginning;
      return false;
    },
  };
};
