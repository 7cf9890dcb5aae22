import type { NftsConfig } from "../../../../config/nfts.ts";
import type { Job } from "../../../../jobs/job.ts";
import { createScheduler } from "../../../../jobs/scheduler.ts";
import { sleep } from "../../../../lib/async.ts";
import { createFetcher } from "./fetch-documents.ts";
import { backlogLogIntervalMilliseconds, logBacklog } from "./log-backlog.ts";
import { type ReadMetadataUrlsDeps, readMetadataUrls } from "./read-metadata-urls.ts";

/** The dependencies of a chain's metadata worker. */
export interface MetadataWorkerDeps extends Omit<ReadMetadataUrlsDeps, "leaseMilliseconds" | "nfts"> {
  readonly chainName: string;
  readonly nfts: Pick<NftsConfig, "metadata" | "fetchesAtOnce" | "fetchMilliseconds" | "documentBytes">;
  readonly logger: { info(message: string): void; warn(message: string): void };
  readonly pauseMilliseconds?: number;
}

/** Reads the metadata of queued tokens. */
export interface MetadataWorker {
  /** Reads everything due now. */
  drain(): Promise<void>;
  /** Runs until the signal aborts; failures are retried later. Does nothing on a chain with uncached metadata. */
  run(signal: AbortSignal): Promise<void>;
}

const defaultPauseMilliseconds = 500;

/**
 * Creates a worker. Any number of workers may run, in one process or in several: they share the queue through claims with a lease, and each outcome is stored
 * once. A worker need not be the chain's leader, because its rows are tied to an indexed block.
 */
export const createMetadataWorker = (deps: MetadataWorkerDeps): MetadataWorker => {
  // The lease of a document outlasts its own fetch and the fetches before it.
  const workerDeps = { ...deps, concurrency: deps.nfts.fetchesAtOnce, leaseMilliseconds: 60_000 + 2 * deps.nfts.fetchMilliseconds };
  const pauseMilliseconds = deps.pauseMilliseconds ?? defaultPauseMilliseconds;

  /** A job that repeats a step, without a pause while the step finds work. */
  const repeatingJob = (
    name: string,
    step: (signal: AbortSignal) => Promise<number>,
    wait: (milliseconds: number, signal: AbortSignal) => Promise<void>,
  ): Job<AbortSignal> => ({
    name,
    intervalMilliseconds: pauseMilliseconds,
    run: async (signal) => {
      if ((await step(signal)) === 0) await wait(pauseMilliseconds, signal);
      return true;
    },
  });
  const schedule = (job: Job<AbortSignal>) =>
    createScheduler({ ...deps, jobs: [job], contextOf: (signal) => signal, clock: () => new Date(), busyPauseMilliseconds: 0 });

  return {
    drain: async () => {
      const { signal } = new AbortController();
      const fetcher = createFetcher(workerDeps);
      for (;;) {
        const processed = (await readMetadataUrls(workerDeps, signal)) + (await fetcher.run(signal));
        if (processed === 0 && fetcher.claimedCount() === 0) return;
        if (processed === 0) await fetcher.wait(pauseMilliseconds, signal);
      }
    },
    run: async (signal) => {
      if (deps.nfts.metadata !== "cached") return;
      const fetcher = createFetcher(workerDeps);
      await Promise.all([
        schedule(repeatingJob("read-nft-urls", (jobSignal) => readMetadataUrls(workerDeps, jobSignal), sleep)).run(signal),
        schedule(repeatingJob("fetch-nft-documents", fetcher.run, fetcher.wait)).run(signal),
        schedule(
          repeatingJob(
            "log-nft-backlog",
            () => logBacklog(deps).then(() => 0),
            (_, jobSignal) => sleep(backlogLogIntervalMilliseconds, jobSignal),
          ),
        ).run(signal),
      ]);
      // Best effort: unreleased claims expire with their lease.
      await fetcher.end().catch(() => undefined);
    },
  };
};
