import { createContractBackoff } from "../../chain/contract-backoff.ts";
import { nullOnAbort } from "../../lib/async.ts";
import type { Address } from "../../lib/hex.ts";
import { createStopwatch } from "../ingest/stopwatch.ts";
import { createLeader, type Leadership } from "../leader/leader.ts";
import { ProjectionError } from "../projection-error.ts";
import type { Indexer, IndexerDeps, Timing, Tuning } from "../types.ts";
import { createAdvance } from "./advance.ts";
import { type CatchUpDeps, catchUp, catchUpSizeOf } from "./catch-up.ts";
import { createFollower } from "./follower.ts";
import { createIndexSession } from "./index-session.ts";
import { createRunExclusive } from "./run-exclusive.ts";
import { runUntilStopped } from "./run-until-stopped.ts";

const defaultTuning: Tuning = {
  batchTransactions: 8_000,
  batchLogs: 40_000,
  batchBlocks: 2_000,
  batchBytes: 32 * 1024 * 1024,
  batchMilliseconds: 3_000,
  requestTransactions: 500,
  requestBlocks: 50,
  requestsInFlight: 4,
};

/** The max retry wait: half of the time within which indexing should continue after a failure's cause is gone. */
const defaultTiming: Timing = { retry: { base: 200, max: 5_000 }, lockWaitMilliseconds: 500, confirmationWaitMilliseconds: 300 };

/** The base of the exponential backoff before a contract's base reads are repeated after the node did not respond to them. */
const unresponsiveWaitMilliseconds = 60_000;

/** Creates one chain's indexer. */
export const createIndexer = (options: IndexerDeps): Indexer => {
  const { chain, source, database, ledger, logger, heartbeat } = options;
  const onProgress: IndexerDeps["onProgress"] = (event) => {
    if (event.blockCount > 0) heartbeat?.beat();
    options.onProgress?.(event);
  };
  const deps: IndexerDeps = { ...options, onProgress };
  const tuning: Tuning = { ...defaultTuning, ...deps.tuning };
  const timing: Timing = { ...defaultTiming, ...deps.timing };
  const stopwatch = createStopwatch();
  const unresponsiveContracts = createContractBackoff(unresponsiveWaitMilliseconds);
  const session = createIndexSession({ ...deps, stopwatch });
  const leader = createLeader({
    database,
    chain,
    logger,
    waitMilliseconds: timing.lockWaitMilliseconds,
    nodeSilentMilliseconds: options.nodeSilentMilliseconds,
    maxSilenceMilliseconds: timing.maxSilenceMilliseconds,
  });
  const batchDeps = (): CatchUpDeps => ({
    database,
    source,
    chainId: chain.id,
    facts: session.facts,
    genesisAllocation: deps.genesisAllocation,
    unresponsiveContracts,
    clock: deps.clock,
    stopwatch,
    guard: session.guard,
    onUnreadContracts: (contracts) => logger.warn(unreadContractsWarning(chain.name, contracts)),
    ledger,
    onProgress,
  });
  const advance = createAdvance({ ...deps, session, batchDeps, stopwatch, tuning });
  const follower = createFollower({ ...deps, session, advance, confirmationWaitMilliseconds: timing.confirmationWaitMilliseconds });
  const size = catchUpSizeOf(tuning);

  const runWithRetries = (work: () => Promise<void>, signal: AbortSignal): Promise<void> =>
    runUntilStopped(work, {
      chain: chain.name,
      logger,
      signal,
      wait: timing.retry,
      onFailure: heartbeat?.fail,
      progress: () => session.position.block,
    });

  const runAsLeader = async (leadership: Leadership, signal: AbortSignal): Promise<void> => {
    session.leadership = leadership;
    try {
      await runWithRetries(async () => {
        try {
          await nullOnAbort(session.open(), signal);
          if (signal.aborted) return;
          await runTogether([follower.follow, (stopped) => catchUp(session, batchDeps, size, stopped)], signal);
        } catch (error) {
          if (!(error instanceof ProjectionError)) throw error;
          session.switchOff(error);
        }
      }, signal);
    } finally {
      session.leadership = null;
    }
  };

  return {
    run: async (signal) => {
      follower.restart();
      await runWithRetries(
        () => leader.lead(signal, (leadership) => runAsLeader(leadership, AbortSignal.any([signal, leadership.lostSignal]))),
        signal,
      );
    },
    // The work may change rows that the cache contains.
    runExclusive: createRunExclusive(session, deps, session.invalidateCache),
    runExclusiveKeepingCache: createRunExclusive(session, deps),
    status: () => ({
      block: session.position.block,
      head: follower.head,
      isFollowing: follower.isFollowing,
      isLeading: session.leadership !== null,
      catchingUp: session.behind.map(({ id }) => id),
      millisecondsByStep: stopwatch.millisecondsByStep,
    }),
  };
};

/** Runs tasks concurrently. If one fails, the others are aborted, and its error is thrown when all of them have settled. */
const runTogether = async (tasks: readonly ((signal: AbortSignal) => Promise<void>)[], signal: AbortSignal): Promise<void> => {
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  const results = await Promise.allSettled(
    tasks.map((task) =>
      task(stopped).catch((error: unknown) => {
        stop.abort();
        throw error;
      }),
    ),
  );
  for (const result of results) if (result.status === "rejected") throw result.reason;
};

const unreadContractsWarning = (chain: string, [first, ...others]: readonly Address[]): string => {
  const contracts = others.length === 0 ? `contract ${first}` : `${others.length + 1} contracts, including ${first}`;
  return `The node of ${chain} returned no result for eth_call to ${contracts}: Transfer logs from there with three or no indexed arguments are treated as ERC-721.`;
};
