import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createHistogram, type Histogram, observe } from "../lib/histogram.ts";
import type { LimitName } from "./errors.ts";
import { recordOf } from "./request-record.ts";
import type { CacheState } from "./response-cache/response-cache.ts";

/** A response's status code, or `aborted` if the connection was closed before the response was sent. */
export type ResponseStatus = number | "aborted";

/** Request counts since a server process started, as plain numbers, which a scrape converts to metrics. */
export interface RequestCounts {
  /** Counts a request when its response is closed. */
  count(response: ServerResponse): void;
  /** Seconds by operation id, or `none`, and status. The number of ids is bounded, because clients cannot choose them. */
  readonly durations: ReadonlyMap<string, ReadonlyMap<ResponseStatus, Histogram>>;
  /** Hundredths of a credit by operation. */
  readonly hundredths: ReadonlyMap<string, number>;
  /** Requests to endpoints by their result in the response cache. */
  readonly cache: Readonly<Record<CacheState, number>>;
  /** Rejected requests by the exceeded limit. */
  readonly limited: ReadonlyMap<LimitName, number>;
  /** Bytes on connections, headers included. */
  readonly bytes: { readonly received: number; readonly sent: number };
}

/** Requests for pages, probes and unknown paths. */
const noOperation = "none";
/** Upper bounds for durations in seconds, from a cached response to the default request deadline. */
export const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

const add = <Key>(sums: Map<Key, number>, key: Key, value: number): void => void sums.set(key, (sums.get(key) ?? 0) + value);

/** Creates a server process's counts. */
export function createRequestCounts(): RequestCounts {
  const durations = new Map<string, Map<ResponseStatus, Histogram>>();
  const hundredths = new Map<string, number>();
  const cache = { HIT: 0, SHARED: 0, MISS: 0, NONE: 0 };
  const limited = new Map<LimitName, number>();
  const bytes = { received: 0, sent: 0 };
  /** How many of each connection's bytes have been counted. */
  const counted = new WeakMap<Socket, { received: number; sent: number }>();

  const countBytes = (socket: Socket): void => {
    const { bytesRead: received, bytesWritten: sent } = socket;
    const before = counted.get(socket);
    bytes.received += received - (before?.received ?? 0);
    bytes.sent += sent - (before?.sent ?? 0);
    if (before === undefined) counted.set(socket, { received, sent });
    else Object.assign(before, { received, sent });
  };
  const histogramOf = (operation: string, status: ResponseStatus): Histogram => {
    const byStatus = durations.get(operation) ?? new Map<ResponseStatus, Histogram>();
    const histogram = byStatus.get(status);
    if (histogram !== undefined) return histogram;
    const created = createHistogram(durationBounds);
    durations.set(operation, byStatus.set(status, created));
    return created;
  };

  return {
    count(response) {
      const { startedAt, operation, costHundredths: cost, cache: state, exceededLimit } = recordOf(response);
      const name = operation ?? noOperation;
      observe(histogramOf(name, response.writableFinished ? response.statusCode : "aborted"), (performance.now() - startedAt) / 1000);
      if (cost !== undefined) add(hundredths, name, cost);
      if (state !== undefined) cache[state] += 1;
      if (exceededLimit !== undefined) add(limited, exceededLimit, 1);
      countBytes(response.req.socket);
    },
    durations,
    hundredths,
    cache,
    limited,
    bytes,
  };
}
