import { setMaxListeners } from "node:events";
import { backoff, nullOnAbort, sleep } from "../lib/async.ts";
import type { Job, JobContext, SchedulerDeps } from "./job.ts";
import { callMany } from "./multicall.ts";

/** Does the chores of one chain, one at a time. */
export interface Scheduler {
  /** Does what is due now, each chore at most once; true where one has more to do. */
  look(): Promise<boolean>;
  /** Goes on until the signal. */
  run(signal: AbortSignal): Promise<void>;
}

const defaultPause = 100;
/** A chore that fails waits twice as long each time, up to this. */
const maxWait = 300_000;

interface Turn {
  readonly chore: Job;
  due: number;
  failures: number;
}

/** The chores of one chain. A failing one is logged and tried again later, and keeps neither the others nor the loop. */
export const createScheduler = (deps: SchedulerDeps): Scheduler => {
  const turns: Turn[] = deps.jobs.map((chore) => ({ chore, due: 0, failures: 0 }));

  const take = async (turn: Turn, context: JobContext, signal: AbortSignal): Promise<boolean> => {
    const { chore } = turn;
    const now = () => deps.clock().getTime();
    try {
      const hasMore = await chore.run(context);
      turn.failures = 0;
      turn.due = hasMore ? now() : now() + chore.everyMilliseconds;
      return hasMore;
    } catch (error) {
      if (signal.aborted) return false;
      turn.failures += 1;
      turn.due = now() + backoff(turn.failures, { base: 2 * Math.max(chore.everyMilliseconds, 500), max: maxWait });
      deps.logger.warn(`To ${chore.name} waits: ${error instanceof Error ? error.message : "unknown reason"}`);
      return false;
    }
  };

  const lookUntil = async (signal: AbortSignal): Promise<boolean> => {
    const context = contextOf(deps, signal);
    let hasMore = false;
    for (const turn of turns) {
      if (signal.aborted || !deps.isReady()) return false;
      if (turn.due <= deps.clock().getTime()) hasMore = (await take(turn, context, signal)) || hasMore;
    }
    return hasMore;
  };

  return {
    look: () => lookUntil(new AbortController().signal),
    run: async (signal) => {
      // One look may wait for as many answers of the node at once.
      setMaxListeners(maxListeners, signal);
      while (!signal.aborted) {
        await lookUntil(signal);
        await sleep(deps.pauseMilliseconds ?? defaultPause, signal);
      }
    },
  };
};

const maxListeners = 1_000;

const contextOf = (deps: SchedulerDeps, signal: AbortSignal): JobContext => {
  const orEnd = async <T>(work: Promise<T>): Promise<T> => {
    // An answer is never null itself.
    const answer = await nullOnAbort(work, signal);
    if (answer === null) throw new Error("the process stops");
    return answer;
  };
  const { chainId, database, exclusive, beside, clock, logger, source } = deps;
  return {
    chainId,
    database,
    exclusive,
    beside,
    clock,
    logger,
    source: {
      capabilities: source.capabilities,
      balances: (addresses, height) => orEnd(source.balances(addresses, height)),
      calls: (calls, height) => orEnd(source.calls(calls, height)),
      hashesOf: (heights) => orEnd(source.hashesOf(heights)),
    },
    multicall: (calls, height) => orEnd(callMany(source, deps.multicall, calls, height)),
  };
};
