/** What a promise gives, unless the signal ends the waiting first: then it rejects, and what is waited for goes on without anybody listening. */
export const until = async <T>(signal: AbortSignal, promise: Promise<T>): Promise<T> => {
  let stop: (() => void) | undefined;
  const ended = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, ended]);
  } finally {
    if (stop !== undefined) signal.removeEventListener("abort", stop);
  }
};
