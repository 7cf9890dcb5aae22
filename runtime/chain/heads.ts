import { backoff } from "../lib/async.ts";
import { subscribeToHeads } from "./subscription.ts";
import type { Head } from "./types.ts";

/** New heads as a node tells them by itself. A hint that there is something to fetch: nothing is believed for it. */
export interface HeadFeed {
  /** The newest head that was not given yet; null after so many milliseconds (more while the subscription lives) or when the signal comes. */
  next(milliseconds: number, signal: AbortSignal): Promise<Head | null>;
  /** What was seen by asking: a subscription that stays silent about it is given up for a new one. */
  seen(height: number): void;
  live(): boolean;
  close(): void;
}

export interface HeadFeedOptions {
  readonly url: URL;
  readonly chainId: number;
  readonly onChange?: (message: string) => void;
  /** How often to ask all the same while the subscription lives: silence is found by it. */
  readonly pollMilliseconds?: number;
  /** How late a subscription may be behind what was seen by asking. */
  readonly graceMilliseconds?: number;
  readonly backOffMilliseconds?: number;
}

const maxBackOff = 60_000;

/** Follows a node's heads by websocket; comes back by itself when the connection breaks or falls silent. */
export const createHeadFeed = (options: HeadFeedOptions): HeadFeed => {
  const { url, chainId, onChange, pollMilliseconds = 5_000, graceMilliseconds = 2_000, backOffMilliseconds = 500 } = options;
  let newest: Head | null = null;
  let announced = -1;
  let asked = -1;
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
      onLive: (told) => {
        if (told !== chainId) return drop(`it is of chain ${told}`);
        live = true;
        // What was there before the subscription is nothing that it has to tell.
        announced = asked;
        onChange?.("New blocks are told by the node's websocket.");
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
    if (live) onChange?.(`The node's websocket is given up (${reason}): new blocks are found by asking until it is back.`);
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
      const isFirst = asked < 0;
      asked = Math.max(asked, height);
      if (isFirst) announced = Math.max(announced, height);
      if (!live || height <= announced || silence !== undefined) return;
      silence = setTimeout(() => {
        silence = undefined;
        if (live && announced < height) drop(`it says nothing of block ${height}`);
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
