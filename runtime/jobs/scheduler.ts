import { setMaxListeners } from "node:events";
import { backoff, sleep } from "../lib/async.ts";
import type { Job } from "./job.ts";

/** Runs jobs, one at a time. */
export interface Scheduler {
  /** Runs the jobs that are due, each at most once; returns true if one has more to do. */
  runDue(): Promise<boolean>;
  /** Runs jobs as they become due, until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export interface SchedulerDeps<Context> {
  /** The name in log messages. */
  readonly chainName: string;
  readonly jobs: readonly Job<Context>[];
  /** Creates the jobs' dependencies; the signal aborts when the process stops. */
  readonly contextOf: (signal: AbortSignal) => Context;
  /** Whether jobs may run; always by default. */
  readonly isReady?: () => boolean;
  readonly clock: () => Date;
  readonly logger: { warn(message: string): void };
  /** The pause between rounds of all jobs. */
  readonly pauseMilliseconds?: number;
  /** The pause after a round if a job had more to do; by default `pauseMilliseconds`. */
  readonly busyPauseMilliseconds?: number;
}

const defaultPauseMilliseconds = 100;
/** Min and max wait before a failed job runs again, in milliseconds. */
const minWait = 1_000;
const maxWait = 300_000;
/** Max listeners on the signal: each of a run's concurrent node reads adds one. */
const maxListeners = 1_000;

/** A job, the time of its next run, and its consecutive failures. */
interface ScheduledJob<Context> {
  readonly job: Job<Context>;
  due: number;
  failures: number;
}

/** Creates a job scheduler. A failure is logged and the job is retried with backoff; the other jobs continue. */
export const createScheduler = <Context>(deps: SchedulerDeps<Context>): Scheduler => {
  const { chainName, clock, contextOf, isReady = () => true, logger, pauseMilliseconds = defaultPauseMilliseconds } = deps;
  const { busyPauseMilliseconds = pauseMilliseconds } = deps;
  const scheduledJobs = deps.jobs.map((job): ScheduledJob<Context> => ({ job, due: 0, failures: 0 }));
  const now = () => clock().getTime();

  const runJob = async (scheduled: ScheduledJob<Context>, context: Context, signal: AbortSignal): Promise<boolean> => {
    const { job } = scheduled;
    try {
      const hasMore = await job.run(context);
      scheduled.failures = 0;
      scheduled.due = hasMore ? now() : now() + job.intervalMilliseconds;
      return hasMore;
    } catch (error) {
      if (signal.aborted) return false;
      scheduled.failures += 1;
      const wait = backoff(scheduled.failures, { base: Math.max(minWait, 2 * job.intervalMilliseconds), max: maxWait });
      scheduled.due = now() + wait;
      const reason = error instanceof Error ? error.message : String(error);
      logger.warn(`${chainName}: job ${job.name} failed, retrying in ${wait / 1_000} s: ${reason}`);
      return false;
    }
  };

  const runDue = async (signal: AbortSignal): Promise<boolean> => {
    const context = contextOf(signal);
    let hasMore = false;
    for (const scheduled of scheduledJobs) {
      if (signal.aborted || !isReady()) return false;
      if (scheduled.due <= now()) hasMore = (await runJob(scheduled, context, signal)) || hasMore;
    }
    return hasMore;
  };

  return {
    runDue: () => runDue(new AbortController().signal),
    run: async (signal) => {
      setMaxListeners(maxListeners, signal);
      while (!signal.aborted) {
        const hasMore = await runDue(signal);
        await sleep(hasMore ? busyPauseMilliseconds : pauseMilliseconds, signal);
      }
    },
  };
};
