import type { Source } from "../chain/source.ts";
import { nullOnAbort } from "../lib/async.ts";
import type { Address } from "../lib/hex.ts";
import type { JobContext } from "./job.ts";
import { callMany } from "./multicall.ts";
import { createScheduler, type Scheduler, type SchedulerDeps } from "./scheduler.ts";

export interface ChainSchedulerDeps
  extends Omit<JobContext, "multicall" | "logger" | "source">,
    Omit<SchedulerDeps<JobContext>, "contextOf"> {
  readonly source: JobContext["source"] & Pick<Source, "head">;
  /** The chain's multicall contract address. */
  readonly multicallAddress: Address;
  /** Whether this process is the chain's leader and the index is at the head; jobs wait until then. */
  readonly isReady: () => boolean;
  readonly logger: { info(message: string): void; warn(message: string): void };
}

/** Creates the scheduler for one chain's jobs. */
export const createChainScheduler = (deps: ChainSchedulerDeps): Scheduler =>
  createScheduler<JobContext>({ ...deps, contextOf: (signal) => contextOf(deps, signal) });

const contextOf = (deps: ChainSchedulerDeps, signal: AbortSignal): JobContext => {
  const { chainId, database, runExclusive, runExclusiveKeepingCache, clock, logger, source, multicallAddress } = deps;
  const unlessStopped = async <T>(read: Promise<T>): Promise<T> => {
    // A read never returns null itself.
    const result = await nullOnAbort(read, signal);
    if (result === null) throw new Error("The process is stopping.");
    return result;
  };
  return {
    chainId,
    database,
    runExclusive,
    runExclusiveKeepingCache,
    clock,
    logger,
    source: {
      capabilities: source.capabilities,
      balances: (addresses, height) => unlessStopped(source.balances(addresses, height)),
      runCalls: (calls, height) => unlessStopped(source.runCalls(calls, height)),
      hashesOf: (heights) => unlessStopped(source.hashesOf(heights)),
    },
    multicall: (calls, height) => unlessStopped(callMany(source, multicallAddress, calls, height)),
  };
};
