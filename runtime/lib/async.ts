/** Options for `sleep`. */
export interface SleepOptions {
  /** Whether the wait keeps the process alive; true by default. */
  readonly ref?: boolean;
}

/** Waits; returns early, without an error, if the signal aborts. */
export const sleep = (milliseconds: number, signal?: AbortSignal, { ref = true }: SleepOptions = {}): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    if (!ref) timer.unref();
    signal?.addEventListener("abort", end);
  });

/** Exponential backoff parameters, in any time unit. */
export interface BackoffOptions {
  /** The wait after the first failure. */
  readonly base: number;
  readonly max: number;
  /** The factor between two waits; 2 by default. */
  readonly factor?: number;
}

/** The wait after the n-th failure in a row, counted from 1; it grows by the factor with each failure, up to the maximum. */
export const backoff = (failures: number, { base, max, factor = 2 }: BackoffOptions): number =>
  Math.min(max, base * factor ** (failures - 1));

/** A random wait between half of the wait and all of it, so that clients that failed together do not retry together. */
export const withJitter = (wait: number, random: () => number): number => wait / 2 + (random() * wait) / 2;

/** Options for `retry`. */
export interface RetryOptions<E> extends BackoffOptions {
  /** Max attempts, including the first one. */
  readonly attempts: number;
  readonly isRetryable: (error: unknown) => error is E;
  readonly onRetry?: (error: E) => void;
  /** Aborts the wait between attempts; `retry` then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * Returns the result of the first attempt that succeeds, with backoff in milliseconds between attempts, which are numbered from 1.
 * @throws {unknown} if the last attempt fails, or an error is not retryable.
 */
export const retry = async <T, E>(work: (attempt: number) => Promise<T>, options: RetryOptions<E>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt >= options.attempts || !options.isRetryable(error)) throw error;
      options.onRetry?.(error);
      await sleep(backoff(attempt, options), options.signal);
      options.signal?.throwIfAborted();
    }
  }
};

/** Options for `poll`. */
export interface PollOptions extends BackoffOptions, SleepOptions {
  /** Stops the polling. */
  readonly signal?: AbortSignal | undefined;
  /** The time after which no new read starts; unlimited by default. */
  readonly withinMilliseconds?: number;
}

/** Returns the first result of a read that is not null, with backoff in milliseconds between reads; null if the signal aborts or the time has passed. */
export const poll = async <T>(read: () => Promise<T | null> | T | null, options: PollOptions): Promise<T | null> => {
  const { signal, withinMilliseconds = Number.POSITIVE_INFINITY } = options;
  const deadline = performance.now() + withinMilliseconds;
  for (let reads = 1; signal?.aborted !== true; reads += 1) {
    const result = await read();
    if (result !== null) return result;
    if (performance.now() >= deadline) return null;
    await sleep(backoff(reads, options), signal, options);
  }
  return null;
};

/** The options for polling at a constant interval in milliseconds. */
export const every = (milliseconds: number): BackoffOptions => ({ base: milliseconds, max: milliseconds, factor: 1 });

/** The promise's result; rejects with the signal's reason as soon as the signal aborts. The work itself continues, and its result is dropped. */
export const abortable = <T>(signal: AbortSignal, promise: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    promise.then(
      (result) => {
        signal.removeEventListener("abort", stop);
        resolve(result);
      },
      (error) => {
        signal.removeEventListener("abort", stop);
        reject(error);
      },
    );
  });

/** The promise's result, or null as soon as the signal aborts. */
export const nullOnAbort = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) resolve(null);
    const stop = () => resolve(null);
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });

/** Runs tasks one at a time, in the order in which they were submitted. */
export type Mutex = <T>(task: () => Promise<T>) => Promise<T>;

/** Creates an unlocked mutex. A failed task does not prevent later ones. */
export const createMutex = (): Mutex => {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task, task);
    last = result.catch(() => undefined);
    return result;
  };
};
