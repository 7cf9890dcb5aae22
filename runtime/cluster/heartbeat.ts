/** Detects a process whose event loop is blocked. */
export interface Heartbeat<Process> {
  /** Resolves when the process has responded. */
  readonly ping: (child: Process) => Promise<unknown>;
  /** The process is hung if it does not respond for this many seconds. */
  readonly maxSilentSeconds: number;
}

const intervalMilliseconds = 1_000;

/**
 * Pings a process every second, and calls back once it has not responded for too long; returns a function that ends the check. Time is counted in
 * this process's ticks, so that time during which the machine sleeps or this process is suspended does not count.
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
      // The process has exited or is about to.
      () => undefined,
    );
  };
  const timer = setInterval(tick, intervalMilliseconds);
  return () => clearInterval(timer);
}
