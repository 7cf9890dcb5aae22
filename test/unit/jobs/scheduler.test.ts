import { describe, expect, it } from "vitest";
import type { Source } from "../../../runtime/chain/source.ts";
import { type ChainSchedulerDeps, createChainScheduler } from "../../../runtime/jobs/chain-scheduler.ts";
import type { Job } from "../../../runtime/jobs/job.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";

/** Starts a scheduler with a clock that the test advances and a node that never responds. */
const start = (jobs: readonly Job[], isReady = () => true) => {
  const warnings: string[] = [];
  let now = 0;
  const neverResolves = () => new Promise<never>(() => undefined);
  const source = { balances: neverResolves, runCalls: neverResolves, hashesOf: neverResolves, capabilities: {} } as unknown as Source;
  const unused = () => {
    throw new Error("Unexpected call");
  };
  const deps: ChainSchedulerDeps = {
    chainId: 1,
    chainName: "test",
    source,
    database: { query: unused, run: unused },
    runExclusive: unused,
    runExclusiveKeepingCache: unused,
    multicallAddress: "0xca11bde05977b3631167028862be2a173976ca11",
    jobs,
    isReady,
    clock: () => new Date(now),
    logger: { info: () => undefined, warn: (message) => warnings.push(message) },
    pauseMilliseconds: 1,
  };
  return { scheduler: createChainScheduler(deps), warnings, advance: (milliseconds: number) => (now += milliseconds) };
};
const createCountingJob = (name: string, intervalMilliseconds: number, run: () => boolean = () => false) => {
  const job = {
    name,
    intervalMilliseconds,
    runs: 0,
    run: async () => {
      job.runs += 1;
      return run();
    },
  };
  return job;
};

describe("the scheduler", () => {
  it("runs jobs when they are due, and repeatedly while they have more work", async () => {
    const [rare, frequent] = [createCountingJob("a", 1_000), createCountingJob("b", 100)];
    let portions = 3;
    const busy = createCountingJob("c", 1_000, () => --portions > 0);
    const { scheduler, advance } = start([rare, frequent, busy]);
    expect(await scheduler.runDue()).toBe(true);
    expect(await scheduler.runDue()).toBe(true);
    expect(await scheduler.runDue()).toBe(false);
    expect([rare.runs, frequent.runs, busy.runs]).toEqual([1, 1, 3]);
    advance(100);
    await scheduler.runDue();
    advance(900);
    await scheduler.runDue();
    expect([rare.runs, frequent.runs, busy.runs]).toEqual([2, 3, 4]);
  });

  it("runs no job while this process is not the leader", async () => {
    const job = createCountingJob("a", 100);
    let isReady = false;
    const { scheduler } = start([job], () => isReady);
    await scheduler.runDue();
    expect(job.runs).toBe(0);
    isReady = true;
    await scheduler.runDue();
    expect(job.runs).toBe(1);
  });

  it("logs failures and retries with backoff, while other jobs continue", async () => {
    const failing = createCountingJob("fail", 1_000, () => {
      throw new Error("connection refused");
    });
    const other = createCountingJob("b", 1_000);
    const { scheduler, warnings, advance } = start([failing, other]);
    const runs: number[] = [];
    // Due after 2, 4 and 8 more seconds: at 0, 2, 6 and 14.
    for (let second = 0; second < 16; second += 1) {
      const before = failing.runs;
      await scheduler.runDue();
      if (failing.runs > before) runs.push(second);
      advance(1_000);
    }
    expect(runs).toEqual([0, 2, 6, 14]);
    expect(other.runs).toBe(16);
    expect(warnings).toHaveLength(4);
    expect(warnings[0]).toBe("test: job fail failed, retrying in 2 s: connection refused");
  });

  it("stops immediately when its signal aborts, even while the node does not respond", async () => {
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const pendingJob: Job = {
      name: "wait",
      intervalMilliseconds: 10,
      run: async ({ source, multicall }) => {
        begin();
        await Promise.all([source.hashesOf([1]), multicall([{ to: "0x", data: "0x" }], 1)]);
        return false;
      },
    };
    const { scheduler, warnings } = start([pendingJob]);
    const stop = new AbortController();
    const run = scheduler.run(stop.signal);
    await begun;
    const stoppedAt = performance.now();
    stop.abort();
    await run;
    expect(performance.now() - stoppedAt).toBeLessThan(scaleTimeLimit(500));
    expect(warnings).toEqual([]);
  });
});
