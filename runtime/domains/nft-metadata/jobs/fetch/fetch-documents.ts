import type { QueueDeps } from "../../../../jobs/queue.ts";
import { sleep } from "../../../../lib/async.ts";
import { type Claim, claimOfHost, hostsAfter, postpone, release } from "./claims.ts";
import type { ReadDocument } from "./documents/document.ts";
import { maxOfHost } from "./documents/host.ts";
import { keepOutcomes } from "./store-outcomes.ts";
import { addDocument, type ReadResults, readTokenDocument } from "./token-document.ts";

/** What fetching documents depends on. */
export interface FetchDeps extends QueueDeps {
  readonly readDocument: ReadDocument;
  readonly atOnce: number;
}

/** Hosts that are checked at once, and during one run in which none is due: thousands of failing hosts must not delay the others. */
const hostsAtOnce = 64;
const hostsALook = 100 * hostsAtOnce;
const togetherMilliseconds = 20;

/** Fetches the documents of tokens whose URL is known. */
export interface Fetcher {
  /** Claims due tokens up to the concurrency limits and stores finished ones; returns the number of both. */
  look(signal: AbortSignal): Promise<number>;
  /** Waits until a fetch ends, at most for a time. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  readonly inHand: () => number;
  /** Stores finished tokens and releases the others. */
  end(): Promise<void>;
}

/** Creates a fetcher with a limit on concurrent fetches, and a lower one for each host: a slow host, however many tokens it has, occupies its share only. */
export const createFetcher = (deps: FetchDeps): Fetcher => {
  const inHand = new Map<Claim, string>();
  let results: ReadResults = { outcomes: [], failed: [] };
  let after = "";
  let onEnd: () => void = () => undefined;

  const hasResults = (): boolean => results.outcomes.length + results.failed.length > 0;

  const roomOf = (host: string): number => {
    const busy = [...inHand.values()].filter((other) => other === host).length;
    return Math.min(deps.atOnce - inHand.size, maxOfHost(host, deps.atOnce) - busy);
  };

  const start = async (claim: Claim, host: string, signal: AbortSignal): Promise<void> => {
    inHand.set(claim, host);
    const { url, asked_at: readAt } = claim;
    if (url !== null && readAt !== null) {
      const document = await readTokenDocument(deps.readDocument, claim, url, signal);
      // Interrupted: stays claimed until `end` releases it.
      if (signal.aborted) return;
      addDocument(results, { claim, url }, readAt, document);
    }
    inHand.delete(claim);
    onEnd();
  };

  /** Claims tokens of the next hosts; returns their number, and whether these were the last hosts. */
  const takeOfSome = async (signal: AbortSignal): Promise<{ readonly taken: number; readonly isLast: boolean }> => {
    const hosts = await hostsAfter(deps, after, hostsAtOnce);
    let taken = 0;
    for (const { host, is_due: isDue } of hosts) {
      if (inHand.size >= deps.atOnce) return { taken, isLast: false };
      after = host;
      const room = roomOf(host);
      if (!isDue || room <= 0) continue;
      const claims = await claimOfHost(deps, host, room);
      // Each fetch has its own signal: many listeners on one would raise the warning about a leak.
      for (const claim of claims) void start(claim, host, AbortSignal.any([signal]));
      taken += claims.length;
    }
    // Starts again at the first name.
    const isLast = hosts.length < hostsAtOnce;
    if (isLast) after = "";
    return { taken, isLast };
  };

  const take = async (signal: AbortSignal): Promise<number> => {
    for (let looked = 0; looked < hostsALook && inHand.size < deps.atOnce && !signal.aborted; looked += hostsAtOnce) {
      const { taken, isLast } = await takeOfSome(signal);
      if (taken > 0 || isLast) return taken;
    }
    return 0;
  };

  const keep = async (): Promise<number> => {
    const { outcomes, failed } = results;
    if (!hasResults()) return 0;
    results = { outcomes: [], failed: [] };
    if (outcomes.length > 0) await keepOutcomes(deps, outcomes);
    await postpone(deps, failed);
    return outcomes.length + failed.length;
  };

  return {
    look: async (signal) => (await keep()) + (await take(signal)),
    wait: async (milliseconds, signal) => {
      const stop = new AbortController();
      onEnd = () => stop.abort();
      if (hasResults()) stop.abort();
      await sleep(milliseconds, AbortSignal.any([signal, stop.signal]));
      // Fetches that end at about the same time are stored together.
      if (hasResults()) await sleep(togetherMilliseconds, signal);
    },
    inHand: () => inHand.size + results.outcomes.length + results.failed.length,
    end: async () => {
      await keep();
      await release(deps, [...inHand.keys()]);
      inHand.clear();
    },
  };
};
