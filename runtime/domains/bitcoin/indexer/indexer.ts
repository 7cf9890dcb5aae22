import { InvalidResponseError } from "../../../chain/errors.ts";
import { IndexMismatchError } from "../../../indexer/errors.ts";
import { createLeader, type Leadership } from "../../../indexer/leader/leader.ts";
import { runUntilStopped } from "../../../indexer/session/run-until-stopped.ts";
import { recordBackfilled, recordHead } from "../../../indexer/storage/chain-record.ts";
import type { Timing } from "../../../indexer/types.ts";
import { nullOnAbort, sleep } from "../../../lib/async.ts";
import { createBitcoinQueries } from "../queries.ts";
import { advance } from "./advance.ts";
import { handleReorg } from "./handle-reorg.ts";
import { openBitcoinIndex } from "./open-index.ts";
import type { BitcoinIndexerDeps, BitcoinSession, BitcoinTuning } from "./types.ts";

const defaultTuning: BitcoinTuning = { requestBlocks: 100, requestTransactions: 4_000, requestsInFlight: 3 };
/** The max wait is half the time within which indexing must resume once the cause of a failure is gone. */
const defaultTiming: Timing = { retry: { base: 200, max: 5_000 }, lockWaitMilliseconds: 500, confirmationWaitMilliseconds: 300 };

/** Creates the indexer of a Bitcoin chain: a loop that follows the node's best chain, in one process at a time. */
export const createBitcoinIndexer = (deps: BitcoinIndexerDeps) => {
  const { chain, database, logger } = deps;
  const timing: Timing = { ...defaultTiming, ...deps.timing };
  const tuning: BitcoinTuning = { ...defaultTuning, ...deps.tuning };
  const queries = createBitcoinQueries(database);
  const leader = createLeader({
    database,
    chain,
    logger,
    waitMilliseconds: timing.lockWaitMilliseconds,
    nodeSilentMilliseconds: deps.nodeSilentMilliseconds,
  });
  let session: BitcoinSession | null = null;
  let isFollowing = false;

  const runWithRetries = (work: () => Promise<void>, signal: AbortSignal): Promise<void> => {
    const progress = (): number => session?.position.block ?? chain.from - 1;
    return runUntilStopped(work, { chain: chain.name, logger, signal, wait: timing.retry, onFailure: deps.heartbeat?.fail, progress });
  };

  const runAsLeader = async ({ guard }: Leadership, signal: AbortSignal): Promise<void> => {
    const opened = await nullOnAbort(openBitcoinIndex({ ...deps, queries, guard }).catch(toTemporary(session !== null)), signal);
    if (opened === null) return;
    session = { ...deps, ...opened, queries, guard, tuning, timing };
    while (!signal.aborted) {
      const isAtHead = await advanceToHead(session, isFollowing, signal);
      if (isAtHead && !isFollowing) logger.info(`${chain.name} is indexed up to its head, block ${session.position.block}.`);
      isFollowing ||= isAtHead;
      await sleep(chain.pollMilliseconds, signal);
    }
  };

  return {
    /** Runs until the signal aborts, and stops between two batches. @throws {IndexMismatchError} if the operator has to decide. */
    run: (signal: AbortSignal): Promise<void> =>
      runWithRetries(
        () =>
          leader.lead(signal, (leadership) => {
            const leaderSignal = AbortSignal.any([signal, leadership.lostSignal]);
            return runWithRetries(() => runAsLeader(leadership, leaderSignal), leaderSignal);
          }),
        signal,
      ),
  };
};

/** Once the index has been opened, a mismatch may be temporary: a gateway may route to a node of a different chain for a while. */
const toTemporary =
  (wasOpened: boolean) =>
  (error: unknown): never => {
    throw wasOpened && error instanceof IndexMismatchError ? new InvalidResponseError(error.message) : error;
  };

/** Rolls back blocks that the node has replaced, then indexes up to the head that it reports. Returns whether the head was reached. */
async function advanceToHead(session: BitcoinSession, isFollowing: boolean, signal: AbortSignal): Promise<boolean> {
  const { chain, source, database, clock } = session;
  const head = await nullOnAbort(source.head(), signal);
  if (head === null) return false;
  await handleReorg(session, head);
  await recordHead(database, chain.id, head, finalizedBelow(session, head.number), clock());
  if (head.number > session.position.block) await advance(session, head.number, isFollowing ? "follow" : "backfill", signal);
  if (signal.aborted || session.position.block < head.number) return false;
  await recordBackfilled(database, chain.id, clock());
  session.heartbeat?.beat();
  return true;
}

/** The height up to which blocks are final, counted from the last block that was compared with the index; null if none is. */
const finalizedBelow = ({ chain, position }: BitcoinSession, head: number): number | null => {
  const height = chain.finality === undefined ? -1 : Math.min(head, position.block) - chain.finality;
  return height < 0 ? null : height;
};
