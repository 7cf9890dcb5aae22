import { Agent, get } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";

/** Latencies for a client that sends requests sequentially. */
export interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly count: number;
  /** Outcomes that are not 200. */
  readonly failures: readonly string[];
}

/** A client whose requests are measured. */
export interface Probe {
  /** Sends requests sequentially until it is stopped. */
  start(): void;
  stop(): Promise<Latencies>;
}

const pauseMilliseconds = 20;

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/**
 * Opens a client with one connection, established before an attack starts: node:http accepts one connection in each event loop iteration,
 * so a new one would wait for those that an attacker opens at the same time. A short pause follows each request.
 */
export async function openProbe(port: number, pathOf: (number: number) => string, key?: string): Promise<Probe> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const milliseconds: number[] = [];
  const failures: string[] = [];
  let isRunning = true;
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const request = (path: string): Promise<void> =>
    new Promise((resolve) => {
      const startedAt = performance.now();
      const end = (failure: string | null): void => {
        milliseconds.push(performance.now() - startedAt);
        if (failure !== null) failures.push(failure);
        resolve();
      };
      get({ host: "127.0.0.1", port, path, agent, headers, timeout: scaleTimeLimit(60_000) }, (response) => {
        let body = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => (body += part));
        response.once("error", (error) => end(error.message));
        response.once("end", () => end(response.statusCode === 200 ? null : `${response.statusCode} ${body.slice(0, 300)}`));
      }).once("error", (error) => end(error.message));
    });
  const run = async (): Promise<void> => {
    for (let sent = 0; isRunning; sent += 1) {
      await request(pathOf(sent));
      await wait(pauseMilliseconds);
    }
    agent.destroy();
  };
  await request(pathOf(0));
  milliseconds.length = 0;
  let running: Promise<void> = Promise.resolve();
  return {
    start() {
      running = run();
    },
    async stop() {
      isRunning = false;
      await running;
      const sorted = milliseconds.toSorted((left, right) => left - right);
      return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), count: sorted.length, failures };
    },
  };
}
