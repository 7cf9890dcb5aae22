import { backoff, sleep } from "../lib/async.ts";
import { subscribeToHeads } from "./subscription.ts";
import type { Head } from "./types.ts";

/** New heads that a node announces. They only signal that there are blocks to fetch; their content is not trusted. */
export interface HeadFeed {
  /**
   * Waits for the newest head that was not returned yet; null after the given time (longer while the subscription is live), or if the signal aborts.
   */
  next(milliseconds: number, signal: AbortSignal): Promise<Head | null>;
  /** Reports a polled head: a subscription that does not announce it is replaced. */
  reportPolled(height: number): void;
  isLive(): boolean;
  close(): void;
}

export interface HeadFeedOptions {
  readonly url: URL;
  readonly chainId: number;
  readonly onChange?: (message: string) => void;
  /** Polling interval while the subscription is live, to detect that it stopped announcing heads. */
  readonly pollMilliseconds?: number;
  /** How long a subscription may take to announce a head that was already polled. */
  readonly graceMilliseconds?: number;
  readonly backoffMilliseconds?: number;
}

const maxBackoffMilliseconds = 60_000;

/** Follows a node's heads over WebSocket; reconnects if the connection breaks or stops announcing heads. */
export const createHeadFeed = (options: HeadFeedOptions): HeadFeed => {
  const { url, chainId, onChange, pollMilliseconds = 5_000, graceMilliseconds = 2_000, backoffMilliseconds = 500 } = options;
  const newest = createNewestHead();
  let announced = -1;
  let polled = -1;
  let live = false;
  let failures = 0;
  const closing = new AbortController();
  let unsubscribe: () => void = () => undefined;
  let silenceTimer: NodeJS.Timeout | undefined;

  const connect = (): void => {
    unsubscribe = subscribeToHeads({
      url,
      onLive: (reported) => {
        if (reported !== chainId) return drop(`it is on chain ${reported}, expected ${chainId}`);
        live = true;
        // Heads before the subscription are not announced.
        announced = polled;
        onChange?.("The node announces new blocks over WebSocket.");
      },
      onHead: (head) => {
        failures = 0;
        announced = Math.max(announced, head.number);
        newest.put(head);
      },
      onEnd: drop,
    });
  };

  const drop = (reason: string): void => {
    unsubscribe();
    clearTimeout(silenceTimer);
    silenceTimer = undefined;
    // Repeated failures of one subscription are reported once.
    if (live) onChange?.(`The node's WebSocket subscription ended (${reason}): polling for new blocks until it is restored.`);
    else if (failures === 0) onChange?.(`The node's WebSocket subscription failed (${reason}): polling for new blocks until it succeeds.`);
    live = false;
    failures += 1;
    void reconnect(backoff(failures, { base: backoffMilliseconds, max: maxBackoffMilliseconds }));
  };

  const reconnect = async (wait: number): Promise<void> => {
    await sleep(wait, closing.signal, { ref: false });
    if (!closing.signal.aborted) connect();
  };

  connect();
  return {
    isLive: () => live,
    next: (milliseconds, signal) => newest.take(live ? Math.max(milliseconds, pollMilliseconds) : milliseconds, signal),
    reportPolled: (height) => {
      const isFirst = polled < 0;
      polled = Math.max(polled, height);
      if (isFirst) announced = Math.max(announced, height);
      if (!live || height <= announced || silenceTimer !== undefined) return;
      silenceTimer = setTimeout(() => {
        silenceTimer = undefined;
        if (live && announced < height) drop(`it did not announce block ${height}`);
      }, graceMilliseconds);
      silenceTimer.unref();
    },
    close: () => {
      closing.abort();
      clearTimeout(silenceTimer);
      unsubscribe();
      live = false;
    },
  };
};

/** Stores the newest head until it is taken. */
const createNewestHead = () => {
  let newest: Head | null = null;
  let wake: (() => void) | null = null;
  return {
    put(head: Head): void {
      newest = head;
      wake?.();
    },
    /** Takes the head, or waits for one; null after the given time, or if the signal aborts. */
    async take(milliseconds: number, signal: AbortSignal): Promise<Head | null> {
      if (newest === null) {
        const put = new AbortController();
        wake = () => put.abort();
        await sleep(milliseconds, AbortSignal.any([signal, put.signal]));
        wake = null;
      }
      const head = newest;
      newest = null;
      return signal.aborted ? null : head;
    },
  };
};
