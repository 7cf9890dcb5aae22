import { once } from "node:events";
import { runConnection } from "./connection.ts";

/** The work of a load process. */
export interface LoadArgument {
  readonly port: number;
  readonly connections: number;
  /** Paths, requested in turn by all connections together. */
  readonly paths: readonly string[];
  /** JSON bodies for POST requests, in the order of the paths; without them, GET requests are sent. */
  readonly bodies?: readonly string[];
  /** API keys; a connection uses one of them. */
  readonly keys: readonly string[];
  /** The request header Accept-Encoding; none by default. */
  readonly acceptEncoding?: string;
  /** The number of responses that the warm-up waits for (at most 20 s), because a server is slower until it has cached what it reads. */
  readonly minWarmUpResponses?: number;
  readonly warmUpMilliseconds: number;
  readonly milliseconds: number;
}

/** Sent to the parent when the measured time begins and when it ends. */
export type LoadMessage = { readonly kind: "start" } | { readonly kind: "end"; readonly result: LoadResult };

/** The results of the measured time. */
export interface LoadResult {
  readonly requests: number;
  readonly milliseconds: number;
  readonly failures: number;
  /** Bytes of all bodies as sent. */
  readonly bytes: number;
  /** Responses from the server's cache. */
  readonly cached: number;
  /** CPU milliseconds of the load process. */
  readonly loadCpu: number;
  readonly p50: number;
  readonly p99: number;
}

const {
  port,
  connections,
  paths,
  bodies,
  keys,
  acceptEncoding,
  minWarmUpResponses = 0,
  warmUpMilliseconds,
  milliseconds,
} = await receiveArgument();
/** Receives the argument as a message from the parent, because one with many request bodies is too long for a command line. */
async function receiveArgument(): Promise<LoadArgument> {
  const [argument] = await once(process, "message");
  return argument as LoadArgument;
}

const maxWarmUpMilliseconds = 20_000;
const host = "127.0.0.1";
const report = (message: LoadMessage): unknown => process.send?.(message);

let position = 0;
let phase: "warm-up" | "measured" | "done" = "warm-up";
let phaseStartedAt = performance.now();
let responses = 0;
let failures = 0;
let bytes = 0;
let cached = 0;
let cpuBefore = process.cpuUsage();
const times: number[] = [];

const requestsOf = (key: string): (() => string | null) => {
  const encoding = acceptEncoding === undefined ? "" : `Accept-Encoding: ${acceptEncoding}\r\n`;
  const headers = ` HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\nAccept: application/json\r\n${encoding}`;
  return () => {
    if (phase === "done") return null;
    const index = position % paths.length;
    position += 1;
    const [path = "/", body] = [paths[index], bodies?.[index]];
    return body === undefined
      ? `GET ${path}${headers}\r\n`
      : `POST ${path}${headers}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  };
};

/**
 * Begins the next phase when the time of the current one is over and as many responses as connections were received: on a busy machine, a response
 * may take longer than a phase.
 */
function advance(): void {
  const elapsed = performance.now() - phaseStartedAt;
  if (phase === "warm-up" && responses < minWarmUpResponses && elapsed < maxWarmUpMilliseconds) return;
  if (responses < connections || elapsed < (phase === "warm-up" ? warmUpMilliseconds : milliseconds)) return;
  if (phase === "warm-up") {
    report({ kind: "start" });
    cpuBefore = process.cpuUsage();
    phase = "measured";
  } else {
    const sorted = Float64Array.from(times).sort();
    const percentile = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
    const { user, system } = process.cpuUsage(cpuBefore);
    const measured = { requests: times.length, milliseconds: elapsed, failures, bytes, cached, loadCpu: (user + system) / 1000 };
    report({ kind: "end", result: { ...measured, p50: percentile(0.5), p99: percentile(0.99) } });
    phase = "done";
  }
  responses = 0;
  phaseStartedAt = performance.now();
}

const running = Array.from({ length: connections }, (_, index) =>
  runConnection({
    host,
    port,
    next: requestsOf(keys[Math.floor((index * keys.length) / connections)] ?? ""),
    onResponse: (response) => {
      responses += 1;
      if (phase === "measured") {
        times.push(response.milliseconds);
        bytes += response.bytes;
        if (response.isCached) cached += 1;
        if (response.status !== 200) failures += 1;
      }
      if (phase !== "done") advance();
    },
  }),
);
await Promise.all(running);
process.disconnect?.();
