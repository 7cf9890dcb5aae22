import { every, poll, retry } from "../lib/async.ts";
import { findPaths } from "./embedded/paths.ts";
import { type EmbeddedOptions, type EmbeddedServer, EmbeddedUnavailable, startEmbedded } from "./embedded.ts";
import type { DatabaseDescription } from "./errors.ts";

export interface SuperviseEmbeddedOptions extends Pick<EmbeddedOptions, "dataDirectory" | "settings" | "signal"> {
  readonly logger: { info(message: string): void; warn(message: string): void; error(message: string): void };
  /** Called once if restarts have failed and no more attempts follow. */
  readonly onLost: (error: Error) => void;
}

/** An embedded server that is restarted if it exits. */
export interface SupervisedEmbedded {
  /** The current or last server's URL: a secret. */
  url(): string;
  readonly description: DatabaseDescription;
  /** Calls the listener when the URL or the description's problem has changed. */
  onChange(listener: () => void): void;
  stop(): Promise<void>;
  interrupt(): void;
}

/** The interval between checks; on systems other than Linux, checking another process's server spawns a program. */
const checkMilliseconds = process.platform === "linux" ? 250 : 1_000;
/** Attempts per restart, and the waits between them. */
const restartAttempts = { attempts: 6, base: 250, max: 4_000 } as const;
/** A server that exits more often than this within five minutes is not restarted again. */
const maxRestarts = { count: 5, milliseconds: 300_000 } as const;

/** Describes a data directory's embedded server in messages. */
export function describeEmbedded(dataDirectory: string, problem?: () => string | null): DatabaseDescription {
  const { root, log } = findPaths(dataDirectory);
  return {
    name: "The embedded PostgreSQL",
    details: `data directory ${root}, log file ${log}`,
    ...(problem === undefined ? {} : { problem }),
  };
}

/**
 * Starts or joins a data directory's embedded server and restarts it if it exits unexpectedly, even if another process started it: on the same port if
 * that is still free, with a limited number of attempts.
 */
export async function superviseEmbedded({ logger, onLost, ...embeddedOptions }: SuperviseEmbeddedOptions): Promise<SupervisedEmbedded> {
  const options = { ...embeddedOptions, onWait: logger.info };
  const stop = new AbortController();
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  let current = await startEmbedded({ ...options, signal });
  let problem: string | null = null;
  const listeners = new Set<() => void>();
  const setProblem = (text: string | null): void => {
    problem = text;
    for (const listener of listeners) listener();
  };
  const description = describeEmbedded(options.dataDirectory, () => problem);

  const startAgain = async (): Promise<EmbeddedServer> => {
    // Releases the folder's claim.
    await current.stop();
    return startEmbedded({ ...options, signal, port: current.port, mayCreate: false, waitMilliseconds: 5_000 });
  };

  /** @throws {Error} if the last attempt fails. */
  const restart = async (): Promise<void> => {
    const { attempts } = restartAttempts;
    const start = performance.now();
    logger.error(`The embedded PostgreSQL exited unexpectedly and is being restarted; ${description.details}.`);
    const isRetryable = (error: unknown): error is EmbeddedUnavailable => error instanceof EmbeddedUnavailable && !signal.aborted;
    const restartOnce = async (attempt: number): Promise<void> => {
      setProblem(`it exited and is being restarted (attempt ${attempt} of ${attempts})`);
      try {
        current = await startAgain();
      } catch (error) {
        if (isRetryable(error))
          logger.warn(`Attempt ${attempt} of ${attempts} to restart the embedded PostgreSQL failed: ${error.reason}.`);
        throw error;
      }
    };
    try {
      await retry(restartOnce, { ...restartAttempts, isRetryable, signal });
    } catch (error) {
      if (!isRetryable(error)) throw error;
      throw new Error(
        `The embedded PostgreSQL exited and could not be restarted in ${attempts} attempts: ${error.reason}; ${description.details}.`,
      );
    }
    setProblem(null);
    logger.info(`The embedded PostgreSQL was restarted in ${((performance.now() - start) / 1000).toFixed(1)} s.`);
  };

  const hasExited = (): true | null => !current.isAlive() || null;

  const watch = async (): Promise<void> => {
    const restarts: number[] = [];
    while ((await poll(hasExited, { ...every(checkMilliseconds), signal, ref: false })) !== null) {
      // Another process uses the data.
      current.lost.throwIfAborted();
      const now = performance.now();
      restarts.push(now);
      const recent = restarts.filter((at) => now - at < maxRestarts.milliseconds).length;
      if (recent > maxRestarts.count)
        throw new Error(
          `The embedded PostgreSQL exited ${recent} times in ${maxRestarts.milliseconds / 60_000} minutes and is no longer restarted; ${description.details}.`,
        );
      await restart();
    }
  };

  const watching = watch().catch((error: unknown) => {
    if (signal.aborted) return;
    setProblem(current.lost.aborted ? "another process has taken its data directory" : "it exited and could not be restarted");
    onLost(error instanceof Error ? error : new Error(String(error)));
  });

  return {
    url: () => current.url,
    description,
    onChange: (listener) => void listeners.add(listener),
    stop: async () => {
      stop.abort();
      await watching;
      await current.stop();
    },
    interrupt: () => current.interrupt(),
  };
}
