import { type ContractBackoff, createContractBackoff } from "../../../../chain/contract-backoff.ts";
import type { IndexedBlock } from "../../../../indexer/types.ts";
import type { Job } from "../../../../jobs/job.ts";
import { indexedHead, writeIfCanonical } from "../../../tokens/jobs/reconcile-balances/as-of-head.ts";
import { callAllowances, pairKey } from "./call-allowances.ts";
import { changedPairs, duePairs, hasBlock, type OwnerTokenPair, pairsAfter, pairsInDoubt } from "./pairs.ts";
import { type AllowanceReadSettings, defaultAllowanceReadSettings, maxPairs } from "./settings.ts";
import { markRead, recordFailures, requeueReorgedReads, writeReadings } from "./write-readings.ts";

/** The jobs that read allowances from contracts: those in doubt immediately, all others in the sweep. */
export const createAllowanceJobs = (overrides: Partial<AllowanceReadSettings> = {}): Job[] => {
  const settings = { ...defaultAllowanceReadSettings, ...overrides };
  const backoff = createContractBackoff(settings.backoffMilliseconds);
  return [createDoubtfulReads(settings, backoff), createSweep(settings, backoff)];
};

/**
 * Reads the allowances that are in doubt: those of owners whose tokens another account transferred, because the transfer may have lowered the allowance
 * without an event.
 */
const createDoubtfulReads = ({ readMilliseconds }: AllowanceReadSettings, backoff: ContractBackoff): Job => {
  let lastHead: IndexedBlock | null = null;
  return {
    name: "read-doubtful-allowances",
    intervalMilliseconds: readMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      // A reorganisation may have removed blocks since the last run, or before this process started.
      if (lastHead === null || !(await hasBlock(database, chainId, lastHead))) {
        const done = await context.runExclusive((client) => requeueReorgedReads(client, chainId).then(() => true));
        if (done === null) return false;
      }
      lastHead = head;
      const pairs = await duePairs(database, chainId, head.number, backoff.contractsToSkip(clock()));
      if (pairs.length === 0) return false;
      const { readings, completePairs, incompletePairs, failedPairs } = await callAllowances(context, head.number, pairs);
      const isWritten = await writeIfCanonical(context, head, async (client) => {
        await writeReadings(client, chainId, head.number, readings);
        await markRead(client, chainId, head, completePairs);
        await recordFailures(client, chainId, failedPairs);
        return true;
      });
      if (isWritten === null) return false;
      for (const { token } of completePairs) backoff.clear(token);
      for (const { token } of incompletePairs) backoff.recordFailure(token, clock());
      return completePairs.length > 0;
    },
  };
};

/** A cursor before the first pair. */
const start: OwnerTokenPair = { owner: "0x", token: "0x" };
/** Max pairs that a sweep run reads from each of its two sources: changed pairs and the pass over all pairs. */
const sweepPortion = maxPairs / 4;

/**
 * Compares allowances that are not in doubt with their contracts, because a contract may emit an incorrect Approval or lower an allowance without an event.
 * Each run reads some pairs that changed since the last run, and the next pairs of a repeated pass over all pairs, ordered by owner.
 */
const createSweep = ({ sweepMilliseconds }: AllowanceReadSettings, backoff: ContractBackoff): Job => {
  let lastHeight: number | null = null;
  let after = start;
  return {
    name: "compare-allowances",
    intervalMilliseconds: sweepMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      const changed = await changedPairs(database, chainId, lastHeight ?? head.number, head.number, sweepPortion);
      const next = await pairsAfter(database, chainId, after, sweepPortion);
      const skipped = new Set(backoff.contractsToSkip(clock()));
      const pairs = [...new Map([...changed, ...next].map((pair) => [pairKey(pair), pair])).values()].filter(
        ({ token }) => !skipped.has(token),
      );
      const { readings, completePairs, incompletePairs } = await callAllowances(context, head.number, pairs);
      for (const { token } of incompletePairs) backoff.recordFailure(token, clock());
      // Pairs in doubt that have no attempts left are removed from the queue once their contract returns an allowance.
      const inDoubt = await pairsInDoubt(database, chainId, head.number, completePairs);
      if (readings.length > 0 || inDoubt.length > 0) {
        const isWritten = await writeIfCanonical(context, head, async (client) => {
          await writeReadings(client, chainId, head.number, readings);
          if (inDoubt.length > 0) await markRead(client, chainId, head, inDoubt);
          return true;
        });
        if (isWritten === null) return false;
      }
      lastHeight = head.number;
      after = next.at(-1) ?? start;
      return false;
    },
  };
};
