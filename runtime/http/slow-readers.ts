import type { ServerResponse } from "node:http";
import type { Clock } from "./key-cache.ts";

/** Closes connections whose clients read a response too slowly. */
export interface SlowReaders {
  /** Watches a response until it is closed. */
  watch(response: ServerResponse): void;
  /** Checks all watched responses; to be called about once a second. */
  check(): void;
}

export interface ReadLimits {
  /** The min rate of reading while bytes of a response wait for the client. */
  readonly readBytesPerSecond: number;
  /** The rate is measured over this time, so that pauses are allowed. */
  readonly readWindowMilliseconds: number;
}

/** The bytes of a connection that the kernel has taken at the start of the current window. */
interface Window {
  readonly taken: number;
  readonly start: number;
}

/** Creates the check of slow readers. Bodies are written in slices (see envelope.ts), because a write is counted when it is complete. */
export function createSlowReaders({ readBytesPerSecond, readWindowMilliseconds }: ReadLimits, clock: Clock = performance): SlowReaders {
  const windows = new Map<ServerResponse, Window | null>();
  const minBytes = (readBytesPerSecond * readWindowMilliseconds) / 1000;

  const checkResponse = (response: ServerResponse, window: Window | null): void => {
    const { socket } = response;
    // A response behind another one of the same connection has no socket yet.
    if (socket === null || response.writableLength === 0) {
      windows.set(response, null);
      return;
    }
    const taken = socket.bytesWritten - socket.writableLength;
    const now = clock.now();
    if (window === null) windows.set(response, { taken, start: now });
    else if (now - window.start >= readWindowMilliseconds) {
      if (taken - window.taken < minBytes) socket.destroy();
      else windows.set(response, { taken, start: now });
    }
  };

  return {
    watch(response) {
      windows.set(response, null);
      response.once("close", () => windows.delete(response));
    },
    check() {
      for (const [response, window] of windows) checkResponse(response, window);
    },
  };
}
