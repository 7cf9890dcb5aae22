import { type BackoffOptions, backoff, sleep } from "../lib/async.ts";

export interface KeepIndexingOptions {
  /** Indexes a chain until the signal aborts. */
  readonly run: () => Promise<void>;
  /** Called with each failure and the wait until the restart in milliseconds, null if the failure is final. */
  readonly onFailure: (error: unknown, wait: number | null) => Promise<void>;
  /** Whether a restart cannot repair the failure. */
  readonly isFinal: (error: unknown) => boolean;
  readonly wait?: BackoffOptions;
}

const defaultWait: BackoffOptions = { base: 1_000, max: 60_000 };
/** A failure after at least this run time restarts the backoff. */
const stableMilliseconds = 120_000;

/** Indexes a chain, and restarts the indexing with backoff when it fails; rejects with a final failure. */
export async function keepIndexing(
  { run, onFailure, isFinal, wait = defaultWait }: KeepIndexingOptions,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 1; !signal.aborted; failures += 1) {
    const startedAt = performance.now();
    try {
      return await run();
    } catch (error) {
      // The shutdown interrupted the work.
      if (signal.aborted) return;
      if (performance.now() - startedAt > stableMilliseconds) failures = 1;
      const delay = isFinal(error) ? null : backoff(failures, wait);
      await onFailure(error, delay);
      if (delay === null) throw error;
      await sleep(delay, signal);
    }
  }
}
