import { type BackoffOptions, backoff, sleep } from "../../lib/async.ts";
import { isTemporary } from "../temporary-error.ts";

export interface RunOptions {
  readonly chain: string;
  readonly logger: { warn(message: string): void };
  readonly signal: AbortSignal;
  readonly wait: BackoffOptions;
  /** Called with each failure's message. */
  readonly onFailure?: ((reason: string) => void) | undefined;
  /** Grows as the work advances; the first failure after progress restarts the backoff. */
  readonly progress: () => number;
}

/** Runs work repeatedly until the signal aborts, backing off after temporary failures. @throws {Error} if a failure is permanent. */
export const runUntilStopped = async (
  work: () => Promise<void>,
  { chain, logger, signal, wait, onFailure, progress }: RunOptions,
): Promise<void> => {
  for (let failures = 0; !signal.aborted; ) {
    const start = progress();
    try {
      await work();
    } catch (error) {
      if (!isTemporary(error)) throw error;
      failures = progress() > start ? 1 : failures + 1;
      const delay = backoff(failures, wait);
      logger.warn(`Indexing ${chain} failed, retrying in ${delay / 1_000} s: ${error.message}`);
      onFailure?.(error.message);
      await sleep(delay, signal);
    }
  }
};
