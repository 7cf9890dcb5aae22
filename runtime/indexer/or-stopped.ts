/** The value that was waited for, or null as soon as the signal comes; what arrives later is dropped. */
export const orStopped = <T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) resolve(null);
    const stop = () => resolve(null);
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
