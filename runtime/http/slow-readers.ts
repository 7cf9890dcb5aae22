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
  /** The min read rate while response bytes wait for the client. */
  readonly readBytesPerSecond: number;
  /** The rate is measured over this time, so that pauses are allowed. */
  readonly readWindowMilliseconds: number;
}

/** How many of a connection's bytes the kernel had taken by a given time. */
interface Observation {
  readonly taken: number;
  readonly at: number;
}

/**
 * Creates the check for slow readers. Bodies are written in slices (see envelope.ts), because a write is counted when it is complete. The rate is
 * measured over the window before each check, so that a client that stops reading is disconnected after one window, regardless of how much it has read
 * before.
 */
export function createSlowReaders({ readBytesPerSecond, readWindowMilliseconds }: ReadLimits, clock: Clock = performance): SlowReaders {
  /** While bytes wait: the last observation before the window, and those within it. */
  const observed = new Map<ServerResponse, readonly Observation[]>();
  const minBytes = (readBytesPerSecond * readWindowMilliseconds) / 1000;

  const checkResponse = (response: ServerResponse, earlier: readonly Observation[]): void => {
    const { socket } = response;
    // A response behind another one on the same connection has no socket yet.
    if (socket === null || response.writableLength === 0) {
      observed.set(response, []);
      return;
    }
    const now = { taken: socket.bytesWritten - socket.writableLength, at: clock.now() };
    const start = earlier.findLastIndex(({ at }) => now.at - at >= readWindowMilliseconds);
    const first = earlier[start];
    if (first !== undefined && now.taken - first.taken < minBytes) socket.destroy();
    else observed.set(response, [...earlier.slice(Math.max(0, start)), now]);
  };

  return {
    watch(response) {
      observed.set(response, []);
      response.once("close", () => observed.delete(response));
    },
    check() {
      for (const [response, earlier] of observed) checkResponse(response, earlier);
    },
  };
}
