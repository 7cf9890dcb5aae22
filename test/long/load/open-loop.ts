import { createHistogram } from "node:perf_hooks";
import { type Connection, openConnection, type ReceivedResponse } from "./connection.ts";

/** A load that does not wait for responses: request n is sent n / rate seconds after the start, regardless of the server. */
export interface OpenLoop {
  readonly port: number;
  /** Requests per second. */
  readonly rate: number;
  readonly milliseconds: number;
  /** Paths, requested in turn. */
  readonly paths: readonly string[];
  /** API keys, used in turn. */
  readonly keys: readonly string[];
}

/** A load's outcome. */
export interface LoadResult {
  readonly requests: number;
  /** The time until the last request was sent. */
  readonly milliseconds: number;
  /** Responses by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Requests without a response, by error. */
  readonly errors: Readonly<Record<string, number>>;
  /** Responses with status 429 or 503 but without Retry-After. */
  readonly withoutRetryAfter: number;
  /** An example of each failed status. */
  readonly examples: Readonly<Record<string, string>>;
  /** Milliseconds from when a request is due to the end of its response, for responses with status 200. */
  readonly p50: number;
  readonly p99: number;
}

const tickMilliseconds = 2;
/** The server closes connections that are idle for 65 s. */
const maxIdleMilliseconds = 30_000;
/**
 * Excess requests wait for a connection, and the wait is part of their latency. The listening socket's backlog has room for 511 new connections; if
 * more arrived simultaneously, the kernel would reset some.
 */
const maxConnections = 500;

interface Idle {
  readonly connection: Connection;
  readonly since: number;
}
interface Due {
  readonly at: number;
  readonly number: number;
}

/** Runs a load until every request has a response or an error. */
export function runOpenLoop({ port, rate, milliseconds, paths, keys }: OpenLoop): Promise<LoadResult> {
  const startedAt = performance.now();
  const total = Math.max(1, Math.floor((rate * milliseconds) / 1000));
  const times = createHistogram();
  const statuses: Record<string, number> = {};
  const errors: Record<string, number> = {};
  const examples: Record<string, string> = {};
  const idle: Idle[] = [];
  const due: Due[] = [];
  const open = new Set<Connection>();
  let [sent, done, withoutRetryAfter, sentAfter] = [0, 0, 0, 0];
  const textOf = (number: number): string =>
    `GET ${paths[number % paths.length]} HTTP/1.1\r\nHost: load\r\nAuthorization: Bearer ${keys[number % keys.length]}\r\n\r\n`;

  const count = (outcome: ReceivedResponse | Error, at: number): void => {
    done += 1;
    if (outcome instanceof Error) {
      errors[outcome.message] = (errors[outcome.message] ?? 0) + 1;
      return;
    }
    const { status, hasRetryAfter, text } = outcome;
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status === 200) times.record(Math.max(1, Math.round((performance.now() - at) * 1000)));
    else examples[status] ??= text.slice(0, 300);
    if ((status === 429 || status === 503) && !hasRetryAfter) withoutRetryAfter += 1;
  };
  const connect = (): Connection => {
    const connection: Connection = openConnection(port, () => {
      open.delete(connection);
      const position = idle.findIndex((entry) => entry.connection === connection);
      if (position >= 0) idle.splice(position, 1);
    });
    open.add(connection);
    return connection;
  };
  const takeConnection = (): Connection | null => {
    const newest = idle.pop();
    if (newest !== undefined && performance.now() - newest.since < maxIdleMilliseconds) return newest.connection;
    newest?.connection.close();
    return open.size < maxConnections ? connect() : null;
  };
  const sendDue = (): void => {
    for (let next = due[0]; next !== undefined; next = due[0]) {
      const connection = takeConnection();
      if (connection === null) return;
      due.shift();
      const { at, number } = next;
      connection.send(textOf(number), (outcome) => {
        count(outcome, at);
        if (!(outcome instanceof Error)) idle.push({ connection, since: performance.now() });
        sendDue();
      });
    }
  };
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const elapsed = performance.now() - startedAt;
      for (; sent < total && sent < (elapsed * rate) / 1000; sent += 1) due.push({ at: startedAt + (sent * 1000) / rate, number: sent });
      if (sent === total && sentAfter === 0) sentAfter = elapsed;
      sendDue();
      if (done < total) return;
      clearInterval(timer);
      for (const connection of open) connection.close();
      const percentile = (part: number): number => (times.count === 0 ? Number.NaN : times.percentile(part) / 1000);
      const result = { requests: total, milliseconds: sentAfter, statuses, errors, examples, withoutRetryAfter };
      resolve({ ...result, p50: percentile(50), p99: percentile(99) });
    }, tickMilliseconds);
  });
}
