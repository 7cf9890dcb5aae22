import type { NftsConfig } from "../../../../config/nfts.ts";
import { backoff, sleep } from "../../../../lib/async.ts";
import { createFetcher } from "./fetch-documents.ts";
import { createProgressNotes } from "./log-progress.ts";
import { type ReadContractsDeps, readContracts } from "./read-contracts.ts";

/** What reads the metadata of one chain. */
export interface MetadataWorkerDeps extends Omit<ReadContractsDeps, "leaseMilliseconds" | "nfts"> {
  readonly chainName: string;
  readonly nfts: Pick<NftsConfig, "metadata" | "fetchesAtOnce" | "fetchMilliseconds" | "documentBytes">;
  readonly logger: { info(message: string): void; warn(message: string): void };
  readonly pauseMilliseconds?: number;
}

/** Reads the metadata of tokens that wait in the queue. */
export interface MetadataWorker {
  /** Reads all that is due now. */
  drain(): Promise<void>;
  /** Goes on until the signal; failures are tried again later. On a chain whose metadata is not kept it does nothing. */
  run(signal: AbortSignal): Promise<void>;
}

const defaultPause = 500;
/** After a failure of node or database. */
const maxPause = 60_000;

/**
 * One of any number of workers, in one process or in several: they share the queue by claims that end by themselves, and what one keeps, no other keeps again. It needs no
 * right to write the chain's index: what it keeps is of a block that the index has.
 */
export const createMetadataWorker = (deps: MetadataWorkerDeps): MetadataWorker => {
  // A claim of a document outlives the fetch, and those that it waits behind.
  const own = { ...deps, atOnce: deps.nfts.fetchesAtOnce, leaseMilliseconds: 60_000 + 2 * deps.nfts.fetchMilliseconds };
  const notes = createProgressNotes(deps);
  const defaultValue = deps.pauseMilliseconds ?? defaultPause;

  /** Does a step again and again: at once where it had something to do, else after a pause; a failing one waits longer each time. */
  const repeat = async (step: () => Promise<number>, wait: (milliseconds: number) => Promise<void>, signal: AbortSignal): Promise<void> => {
    let failures = 0;
    while (!signal.aborted) {
      try {
        const done = await step();
        failures = 0;
        if (done === 0) await wait(defaultValue);
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        deps.logger.warn(`Metadata of ${deps.chainName} waits: ${error instanceof Error ? error.message : "unknown reason"}`);
        await sleep(backoff(failures, { base: 2 * defaultValue, max: maxPause }), signal);
      }
    }
  };

  return {
    drain: async () => {
      const { signal } = new AbortController();
      const fetcher = createFetcher(own);
      for (;;) {
        const done = (await readContracts(own, signal)) + (await fetcher.look(signal));
        if (done === 0 && fetcher.inHand() === 0) return;
        if (done === 0) await fetcher.wait(defaultValue, signal);
      }
    },
    run: async (signal) => {
      if (deps.nfts.metadata !== "cached") return;
      const fetcher = createFetcher(own);
      await Promise.all([
        repeat(
          () => readContracts(own, signal),
          (milliseconds) => sleep(milliseconds, signal),
          signal,
        ),
        repeat(
          () => fetcher.look(signal),
          (milliseconds) => fetcher.wait(milliseconds, signal),
          signal,
        ),
        notes.run(signal),
      ]);
      // Best effort: what is not let go of is anybody's when the claim ends.
      await fetcher.end().catch(() => undefined);
    },
  };
};
