import { every, nullOnAbort, poll } from "../lib/async.ts";

/** What pauses the work: an operator, or a file system that is nearly full. */
export type PauseCause = "operator" | "disk";

export interface PausableRun {
  /** Works until the signal aborts. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  readonly readPauseCause: () => Promise<PauseCause | null>;
  /** Called when a pause has stopped the work, when the cause of the pause changes, and with null when the work continues. */
  readonly onChange: (cause: PauseCause | null) => void;
  readonly pollMilliseconds?: number;
}

/** A pause takes effect within this time plus the time to stop a batch. Each poll reads one row per chain by primary key. */
const defaultPollMilliseconds = 1_000;

/** Runs work until the signal aborts: the work is stopped during a pause, and started again after it. Rejects if the work fails. */
export async function runUnlessPaused(
  { run, readPauseCause, onChange, pollMilliseconds = defaultPollMilliseconds }: PausableRun,
  signal: AbortSignal,
): Promise<void> {
  let reported: PauseCause | null = null;
  const report = (cause: PauseCause | null): void => {
    if (cause !== reported) onChange(cause);
    reported = cause;
  };
  /** Waits until the chain is paused, or no longer paused. Returns false if the signal aborts first. */
  const waitUntil = async (mustBePaused: boolean, stop: AbortSignal, onOther: (cause: PauseCause | null) => void): Promise<boolean> => {
    const read = async (): Promise<true | null> => {
      // If the database cannot be read, the state is the last known one: the work itself reports the failure.
      const found = await readPauseCause().catch(() => reported);
      if ((found !== null) === mustBePaused) return true;
      onOther(found);
      return null;
    };
    return (await nullOnAbort(poll(read, { ...every(pollMilliseconds), signal: stop }), stop)) === true;
  };
  while (await waitUntil(false, signal, report)) {
    report(null);
    const pause = new AbortController();
    const ended = new AbortController();
    const watching = waitUntil(true, AbortSignal.any([signal, ended.signal]), () => undefined);
    void watching.then((found) => {
      if (found) pause.abort();
    });
    try {
      await run(AbortSignal.any([signal, pause.signal]));
    } catch (error) {
      // The pause interrupted the work.
      if (!pause.signal.aborted) throw error;
    } finally {
      ended.abort();
    }
    if (!pause.signal.aborted) return;
  }
}
