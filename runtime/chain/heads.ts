import { backoff } from "../lib/async.ts";
import { subscribeToHeads } from "./subscription.ts";
import type { Head } from "./types.ts";

/** New heads that a node announces. Only a hint that there are blocks to fetch: nothing of them is trusted. */
export interface HeadFeed {
  /** The newest head that was not returned yet; null after this time (longer while the subscription is live), or when the signal aborts. */
  next(milliseconds: number, signal: AbortSignal): Promise<Head | null>;
  /** Reports a polled head: a subscription that does not announce it is replaced. */
  seen(height: number): void;
  live(): boolean;
  close(): void;
}

export interface HeadFeedOptions {
  readonly url: URL;
  readonly chainId: number;
  readonly onChange?: (message: string) => void;
  /** Polling interval while the subscription is live, which detects its silence. */
  readonly pollMilliseconds?: number;
  /** How long after a polled head a subscription may announce it. */
  readonly graceMilliseconds?: number;
  readonly backOffMilliseconds?: number;
}

const maxBackOff = 60_000;

/** Follows a node's heads over WebSocket, and reconnects when the connection breaks or falls silent. */
export const createHeadFeed = (options: HeadFeedOptions): HeadFeed => {
  const { url, chainId, onChange, pollMilliseconds = 5_000, graceMilliseconds = 2_000, backOffMilliseconds = 500 } = options;
  let newest: Head | null = null;
  let announced = -1;
  let polled = -1;
  let wake: (() => void) | null = null;
  let live = false;
  let failures = 0;
  let closed = false;
  let unsubscribe: () => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;
  let silence: NodeJS.Timeout | undefined;

  const connect = (): void => {
    unsubscribe = subscribeToHeads({
      url,
      onLive: (reported) => {
        if (reported !== chainId) return drop(`it belongs to chain ${reported}`);
        live = true;
        // Heads before the subscription are not announced.
        announced = polled;
        onChange?.("The node announces new blocks over WebSocket.");
      },
      onHead: (head) => {
        failures = 0;
        announced = Math.max(announced, head.number);
        newest = head;
        wake?.();
      },
      onEnd: drop,
    });
  };

  const drop = (reason: string): void => {
    unsubscribe();
    clearTimeout(silence);
    silence = undefined;
    if (live) onChange?.(`The node's WebSocket subscription ended (${reason}): polling for new blocks until it is restored.`);
    live = false;
    failures += 1;
    if (closed) return;
    timer = setTimeout(connect, backoff(failures, { base: backOffMilliseconds, max: maxBackOff }));
    timer.unref();
  };

  connect();
  return {
    live: () => live,
    next: (milliseconds, signal) =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(waiting);
          signal.removeEventListener("abort", end);
          wake = null;
          const head = newest;
          newest = null;
          resolve(signal.aborted ? null : head);
        };
        const waiting = setTimeout(end, live ? Math.max(milliseconds, pollMilliseconds) : milliseconds);
        wake = end;
        signal.addEventListener("abort", end);
        if (newest !== null || signal.aborted) end();
      }),
    seen: (height) => {
      const isFirst = polled < 0;
      polled = Math.max(polled, height);
      if (isFirst) announced = Math.max(announced, height);
      if (!live || height <= announced || silence !== undefined) return;
      silence = setTimeout(() => {
        silence = undefined;
        if (live && announced < height) drop(`it did not announce block ${height}`);
      }, graceMilliseconds);
      silence.unref();
    },
    close: () => {
      closed = true;
      clearTimeout(timer);
      clearTimeout(silence);
      unsubscribe();
      live = false;
    },
  };
};
