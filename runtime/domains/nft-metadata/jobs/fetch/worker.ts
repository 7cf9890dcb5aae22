import type { NftsConfig } from "../../../../config/nfts.ts";
import type { Job } from "../../../../jobs/job.ts";
import { createScheduler } from "../../../../jobs/scheduler.ts";
import { sleep } from "../../../../lib/async.ts";
import { createFetcher } from "./fetch-documents.ts";
import { backlogMilliseconds, logBacklog } from "./log-progress.ts";
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

/**
 * One of any number of workers, in one process or in several: they share the queue by claims that end by themselves, and what one keeps, no other keeps again. It needs no
 * right to write the chain's index: what it keeps is of a block that the index has.
 */
export const createMetadataWorker = (deps: MetadataWorkerDeps): MetadataWorker => {
  // A claim of a document outlives the fetch, and those that it waits behind.
  const own = { ...deps, atOnce: deps.nfts.fetchesAtOnce, leaseMilliseconds: 60_000 + 2 * deps.nfts.fetchMilliseconds };
  const pause = deps.pauseMilliseconds ?? defaultPause;

  /** Steps that follow each other at once while they find work. */
  const repeated = (
    name: string,
    step: (signal: AbortSignal) => Promise<number>,
    wait: (milliseconds: number, signal: AbortSignal) => Promise<void>,
  ): Job<AbortSignal> => ({
    name,
    everyMilliseconds: pause,
    run: async (signal) => {
      if ((await step(signal)) === 0) await wait(pause, signal);
      return true;
    },
  });
  const schedule = (job: Job<AbortSignal>) =>
    createScheduler({ ...deps, jobs: [job], contextOf: (signal) => signal, clock: () => new Date(), busyPauseMilliseconds: 0 });

  return {
    drain: async () => {
      const { signal } = new AbortController();
      const fetcher = createFetcher(own);
      for (;;) {
        const done = (await readContracts(own, signal)) + (await fetcher.look(signal));
        if (done === 0 && fetcher.inHand() === 0) return;
        if (done === 0) await fetcher.wait(pause, signal);
      }
    },
    run: async (signal) => {
      if (deps.nfts.metadata !== "cached") return;
      const fetcher = createFetcher(own);
      await Promise.all([
        schedule(repeated("read-nft-urls", (signal) => readContracts(own, signal), sleep)).run(signal),
        schedule(repeated("fetch-nft-documents", fetcher.look, fetcher.wait)).run(signal),
        schedule(
          repeated(
            "log-nft-backlog",
            () => logBacklog(deps).then(() => 0),
            (_, signal) => sleep(backlogMilliseconds, signal),
          ),
        ).run(signal),
      ]);
      // Best effort: what is not let go of is anybody's when the claim ends.
      await fetcher.end().catch(() => undefined);
    },
  };
};
