import type { QueueDeps } from "../../../../jobs/queue.ts";
import { sleep } from "../../../../lib/async.ts";
import { type Claim, claimForHost, hostsAfter, postpone, release } from "./claims.ts";
import type { ReadDocument } from "./documents/document.ts";
import { maxPerHost } from "./documents/host.ts";
import { storeOutcomes } from "./store-outcomes.ts";
import { addDocument, type ReadResults, readTokenDocument } from "./token-document.ts";

/** The dependencies of `createFetcher`. */
export interface FetchDeps extends QueueDeps {
  readonly readDocument: ReadDocument;
  readonly concurrency: number;
}

/** Max hosts that a query returns. */
const hostsPerQuery = 64;
/** Max hosts that a run checks to find a due one: thousands of failing hosts must not delay other hosts. */
const maxHostsPerRun = 100 * hostsPerQuery;
/** Fetches that end within this time are stored together. */
const storeDelayMilliseconds = 20;

/** Fetches the documents of tokens with a known URL. */
export interface Fetcher {
  /** Stores finished documents and claims due tokens up to the concurrency limits; returns their total number. */
  run(signal: AbortSignal): Promise<number>;
  /** Waits until a fetch ends or the time has passed. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** The number of claimed tokens. */
  readonly claimedCount: () => number;
  /** Stores finished documents and releases the other tokens. */
  end(): Promise<void>;
}

/** Iterates over the hosts with queued tokens, and restarts after the last one. */
const createHostCursor = (deps: QueueDeps) => {
  let after = "";
  return {
    /** The next hosts, and whether they include the last one. */
    next: async () => {
      const hosts = await hostsAfter(deps, after, hostsPerQuery);
      return { hosts, isLast: hosts.length < hostsPerQuery };
    },
    moveTo: (host: string): void => {
      after = host;
    },
    restart: (): void => {
      after = "";
    },
  };
};

/** Creates a fetcher with a limit on concurrent fetches and a lower limit per host: a slow host uses only its share, even if it has many tokens. */
export const createFetcher = (deps: FetchDeps): Fetcher => {
  /** The hosts of fetches in progress. */
  const running = new Map<Claim, string>();
  const cursor = createHostCursor(deps);
  let results: ReadResults = { outcomes: [], failed: [] };
  let onEnd: () => void = () => undefined;

  const hasResults = (): boolean => results.outcomes.length + results.failed.length > 0;

  const freeSlotsOf = (host: string): number => {
    const fetchCount = [...running.values()].filter((other) => other === host).length;
    return Math.min(deps.concurrency - running.size, maxPerHost(host, deps.concurrency) - fetchCount);
  };

  const start = async (claim: Claim, host: string, signal: AbortSignal): Promise<void> => {
    running.set(claim, host);
    const { url, asked_at: readAt } = claim;
    if (url !== null && readAt !== null) {
      const document = await readTokenDocument(deps.readDocument, claim, url, signal);
      // An interrupted fetch stays claimed until `end` releases it.
      if (signal.aborted) return;
      addDocument(results, { claim, url }, readAt, document);
    }
    running.delete(claim);
    onEnd();
  };

  /** Claims tokens of the next hosts; returns the number of tokens, and whether these were the last hosts. */
  const claimForNextHosts = async (signal: AbortSignal): Promise<{ readonly count: number; readonly isLast: boolean }> => {
    const { hosts, isLast } = await cursor.next();
    let count = 0;
    for (const { host, is_due: isDue } of hosts) {
      if (running.size >= deps.concurrency) return { count, isLast: false };
      cursor.moveTo(host);
      const freeSlots = freeSlotsOf(host);
      if (!isDue || freeSlots <= 0) continue;
      const claims = await claimForHost(deps, host, freeSlots);
      // Each fetch has its own signal: many listeners on one signal would cause a warning about a memory leak.
      for (const claim of claims) void start(claim, host, AbortSignal.any([signal]));
      count += claims.length;
    }
    if (isLast) cursor.restart();
    return { count, isLast };
  };

  const claimDue = async (signal: AbortSignal): Promise<number> => {
    for (let checked = 0; checked < maxHostsPerRun && running.size < deps.concurrency && !signal.aborted; checked += hostsPerQuery) {
      const { count, isLast } = await claimForNextHosts(signal);
      if (count > 0 || isLast) return count;
    }
    return 0;
  };

  const storeResults = async (): Promise<number> => {
    const { outcomes, failed } = results;
    if (!hasResults()) return 0;
    results = { outcomes: [], failed: [] };
    if (outcomes.length > 0) await storeOutcomes(deps, outcomes);
    await postpone(deps, failed);
    return outcomes.length + failed.length;
  };

  return {
    run: async (signal) => (await storeResults()) + (await claimDue(signal)),
    wait: async (milliseconds, signal) => {
      const stop = new AbortController();
      onEnd = () => stop.abort();
      if (hasResults()) stop.abort();
      await sleep(milliseconds, AbortSignal.any([signal, stop.signal]));
      if (hasResults()) await sleep(storeDelayMilliseconds, signal);
    },
    claimedCount: () => running.size + results.outcomes.length + results.failed.length,
    end: async () => {
      await storeResults();
      await release(deps, [...running.keys()]);
      running.clear();
    },
  };
};
