import { setTimeout as sleep } from "node:timers/promises";
import { findPlaces } from "./embedded/places.ts";
import { type Embedded, type EmbeddedOptions, EmbeddedUnavailable, startEmbedded } from "./embedded.ts";
import type { DatabaseDescription } from "./errors.ts";

export interface KeptOptions extends Pick<EmbeddedOptions, "dataDirectory" | "settings" | "signal"> {
  readonly logger: { info(message: string): void; warn(message: string): void; error(message: string): void };
  /** Called once when restarts have failed: no further attempt is made. */
  readonly onLost: (error: Error) => void;
}

/** An embedded server that is restarted when it ends. */
export interface KeptEmbedded {
  /** The URL of the current or last server: a secret. */
  url(): string;
  readonly description: DatabaseDescription;
  stop(): Promise<void>;
  interrupt(): void;
}

/** On systems other than Linux, checking a server of another process spawns a program. */
const checkMilliseconds = process.platform === "linux" ? 250 : 1_000;
/** Waits before the attempts of one restart. */
const waits = [0, 250, 500, 1_000, 2_000, 4_000] as const;
/** A server that ends more often than this within five minutes is not restarted again. */
const maxRestarts = { count: 5, milliseconds: 300_000 } as const;

/** How messages describe the embedded server of a data directory. */
export function describeEmbedded(dataDirectory: string, problem?: () => string | null): DatabaseDescription {
  const { root, log } = findPlaces(dataDirectory);
  return {
    name: "The embedded PostgreSQL",
    remedy: `its data folder is ${root}, its log ${log}`,
    ...(problem === undefined ? {} : { problem }),
  };
}

/**
 * Starts or joins the embedded server of a data directory and restarts it whenever it ends unexpectedly, also if another process started it: on the same port if that
 * is still free, with a limited number of attempts.
 */
export async function keepEmbedded({ logger, onLost, ...options }: KeptOptions): Promise<KeptEmbedded> {
  const stop = new AbortController();
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  let current = await startEmbedded({ ...options, signal });
  let problem: string | null = null;
  const description = describeEmbedded(options.dataDirectory, () => problem);

  const startAgain = async (): Promise<Embedded> => {
    // Releases the claim on the folder.
    await current.stop();
    return startEmbedded({ ...options, signal, port: current.port, mayCreate: false, patienceMilliseconds: 5_000 });
  };

  /** @throws after the last attempt. */
  const restart = async (): Promise<void> => {
    const start = performance.now();
    logger.error(`The embedded PostgreSQL ended unexpectedly, restarting it; ${description.remedy}.`);
    let reason = "";
    for (const [index, wait] of waits.entries()) {
      problem = `it ended and is being restarted (attempt ${index + 1} of ${waits.length})`;
      await sleep(wait, undefined, { signal });
      try {
        current = await startAgain();
        problem = null;
        const seconds = ((performance.now() - start) / 1000).toFixed(1);
        return logger.info(`The embedded PostgreSQL was restarted in ${seconds} s.`);
      } catch (error) {
        if (!(error instanceof EmbeddedUnavailable) || signal.aborted) throw error;
        reason = error.reason;
        logger.warn(`Attempt ${index + 1} of ${waits.length} to restart the embedded PostgreSQL failed: ${reason}.`);
      }
    }
    throw new Error(
      `The embedded PostgreSQL ended and could not be restarted in ${waits.length} attempts: ${reason}; ${description.remedy}.`,
    );
  };

  const watch = async (): Promise<void> => {
    const restarts: number[] = [];
    for (;;) {
      await sleep(checkMilliseconds, undefined, { signal, ref: false });
      if (current.alive()) continue;
      const now = performance.now();
      restarts.push(now);
      const recent = restarts.filter((at) => now - at < maxRestarts.milliseconds).length;
      if (recent > maxRestarts.count)
        throw new Error(
          `The embedded PostgreSQL ended ${recent} times in ${maxRestarts.milliseconds / 60_000} minutes and is no longer restarted; ${description.remedy}.`,
        );
      await restart();
    }
  };

  const watching = watch().catch((error: unknown) => {
    if (signal.aborted) return;
    problem = "it ended and could not be restarted";
    onLost(error instanceof Error ? error : new Error(String(error)));
  });

  return {
    url: () => current.url,
    description,
    stop: async () => {
      stop.abort();
      await watching;
      await current.stop();
    },
    interrupt: () => current.interrupt(),
  };
}
