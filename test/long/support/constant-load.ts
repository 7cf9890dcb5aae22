import { Agent } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { isResponse, request } from "../../e2e/serve/load.ts";

/** One phase's requests. */
export interface PhaseLoad {
  readonly name: string;
  readonly milliseconds: number[];
  /** Requests without a 200 response. */
  readonly failures: string[];
}

/** Clients that request paths at a constant rate until they are stopped. */
export interface ConstantLoad {
  readonly phases: readonly PhaseLoad[];
  /** Counts requests from now on in a new phase. */
  enter(phase: string): void;
  stop(): Promise<void>;
}

const phaseOf = (name: string): PhaseLoad => ({ name, milliseconds: [], failures: [] });

/** Starts sending `rate` requests per second, without waiting for responses. */
export function startConstantLoad(url: string, paths: readonly string[], key: string, rate: number, firstPhase: string): ConstantLoad {
  const agent = new Agent({ keepAlive: true });
  const phases = [phaseOf(firstPhase)];
  const pending = new Set<Promise<void>>();
  let isRunning = true;
  const send = async (path: string, { milliseconds, failures }: PhaseLoad): Promise<void> => {
    const outcome = await request(url + path, key, agent);
    milliseconds.push(outcome.endedAt - outcome.startedAt);
    if (!isResponse(outcome)) failures.push(`${path}: ${outcome.error}`);
    else if (outcome.status !== 200) failures.push(`${path}: ${outcome.status} ${outcome.body}`);
  };
  const run = async (): Promise<void> => {
    const start = performance.now();
    for (let number = 0; isRunning; number += 1) {
      await wait(Math.max(0, start + (number * 1_000) / rate - performance.now()));
      const sent = send(paths[number % paths.length] ?? "", phases.at(-1) as PhaseLoad).finally(() => pending.delete(sent));
      pending.add(sent);
    }
    await Promise.all(pending);
    agent.destroy();
  };
  const running = run();
  return {
    phases,
    enter: (phase) => void phases.push(phaseOf(phase)),
    async stop() {
      isRunning = false;
      await running;
    },
  };
}

/** A one-line summary of a phase. */
export function summaryOf({ name, milliseconds, failures }: PhaseLoad): string {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const percentile = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(0);
  return `${name}: ${sorted.length} requests, ${failures.length} failed, ${percentile(0.5)} ms median, ${percentile(0.99)} ms p99, ${percentile(1)} ms max`;
}
