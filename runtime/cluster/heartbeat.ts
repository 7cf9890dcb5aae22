/** How a process is checked for an event loop that does not run any more. */
export interface Heartbeat<Process> {
  /** Resolves when the process has responded. */
  readonly ping: (child: Process) => Promise<unknown>;
  /** The process is hung if it does not respond for this many seconds. */
  readonly maxSilentSeconds: number;
}

const intervalMilliseconds = 1_000;

/**
 * Pings a process each second, and calls back once it has not responded for too long; returns the function that ends this. The time is counted in ticks of this
 * process: while the machine sleeps, or this process is stopped as well, no time passes.
 */
export function watchHeartbeat(ping: () => Promise<unknown>, maxSilentSeconds: number, onSilence: () => void): () => void {
  let silentTicks = 0;
  let isPending = false;
  const tick = (): void => {
    if (isPending) {
      silentTicks += 1;
      if (silentTicks < maxSilentSeconds) return;
      clearInterval(timer);
      onSilence();
      return;
    }
    silentTicks = 0;
    isPending = true;
    ping().then(
      () => {
        isPending = false;
      },
      // The process has exited, or exits now.
      () => undefined,
    );
  };
  const timer = setInterval(tick, intervalMilliseconds);
  return () => clearInterval(timer);
}
