import type { QueueDeps } from "../../../../jobs/queue.ts";
import { sleep } from "../../../../lib/async.ts";
import { type Claim, claimOfHost, hostsAfter, postpone, release } from "./claims.ts";
import type { ReadDocument } from "./documents/document.ts";
import { maxOfHost } from "./documents/host.ts";
import { keepOutcomes } from "./store-outcomes.ts";
import { addDocument, type ReadResults, readTokenDocument } from "./token-document.ts";

/** What documents are fetched with. */
export interface FetchDeps extends QueueDeps {
  readonly readDocument: ReadDocument;
  readonly atOnce: number;
}

/** Hosts that are looked at at once, and in one look where none of them is due: whoever names thousands of hosts that fail shall not keep others from their turn. */
const hostsAtOnce = 64;
const hostsALook = 100 * hostsAtOnce;
const togetherMilliseconds = 20;

/** Fetches the documents of tokens whose contract was asked. */
export interface Fetcher {
  /** Takes what is due as far as there is room, and keeps what has come; gives how many tokens it took or kept. */
  look(signal: AbortSignal): Promise<number>;
  /** Waits until a fetch ends, or for so long. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  readonly inHand: () => number;
  /** Lets go of what is not done. */
  end(): Promise<void>;
}

/** So many documents at once, and of one host a part of them: a slow host, however many tokens it has, keeps its own part busy and no more. */
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
      // Interrupted: it stays in hand, to be let go of at the end.
      if (signal.aborted) return;
      addDocument(results, { claim, url }, readAt, document);
    }
    inHand.delete(claim);
    onEnd();
  };

  /** Takes of the next hosts; gives how many tokens it took, and whether there are hosts after them. */
  const takeOfSome = async (signal: AbortSignal): Promise<{ readonly taken: number; readonly isLast: boolean }> => {
    const hosts = await hostsAfter(deps, after, hostsAtOnce);
    let taken = 0;
    for (const { host, is_due: isDue } of hosts) {
      if (inHand.size >= deps.atOnce) return { taken, isLast: false };
      after = host;
      const room = roomOf(host);
      if (!isDue || room <= 0) continue;
      const claims = await claimOfHost(deps, host, room);
      // Each with a signal of its own: what waits for one signal is counted, and many at once would be taken for a leak.
      for (const claim of claims) void start(claim, host, AbortSignal.any([signal]));
      taken += claims.length;
    }
    // From the first name again.
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
      // What ends at about the same time is kept together.
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
