import type { Head } from "../../chain/source.ts";
import { nullOnAbort, sleep } from "../../lib/async.ts";
import { createFinality } from "../reorg/finalized-height.ts";
import { handleReorg, type ReorgDeps } from "../reorg/handle-reorg.ts";
import { recordBackfilled, recordHead, recordNativeHistoryMissing } from "../storage/chain-record.ts";
import type { IndexerDeps } from "../types.ts";
import type { Advance } from "./advance.ts";

export interface FollowDeps extends ReorgDeps, Pick<IndexerDeps, "headFeed" | "clock" | "heartbeat"> {
  readonly advance: Advance;
}

export interface Follower {
  /** Keeps the index up to date with the node's head until the signal aborts; must be called with an open session. */
  follow(signal: AbortSignal): Promise<void>;
  /** The node's head that was last read or announced. */
  readonly head: number | null;
  /** Whether the head was reached since the last restart. */
  readonly isFollowing: boolean;
  restart(): void;
}

/** Creates the part of the indexing loop that follows the node's head. */
export const createFollower = (deps: FollowDeps): Follower => {
  const { chain, source, database, ledger, logger, session } = deps;
  const finalizedHeight = createFinality({ source, ledger, finality: chain.finality });
  let latest: number | null = null;
  let isFollowing = false;

  const recordHeadReached = async (): Promise<void> => {
    if (isFollowing) return;
    await recordBackfilled(database, chain.id, deps.clock());
    await recordNativeHistoryMissing(database, chain.id, await ledger.lacksBalances());
    logger.info(`${chain.name} is indexed up to its head, block ${session.position.block}.`);
    isFollowing = true;
  };

  const record = async (head: Head, compared: number): Promise<void> => {
    const finalized = await finalizedHeight(head, compared);
    await recordHead(database, chain.id, head, finalized, deps.clock());
  };

  /** Indexes up to the announced head; if it is null, up to the head that the node reports. */
  const advanceToHead = async (announced: Head | null, mustCompare: boolean, signal: AbortSignal): Promise<void> => {
    const head = announced ?? (await nullOnAbort(source.head(), signal));
    if (head === null) return;
    if (announced === null) deps.headFeed?.reportPolled(head.number);
    latest = head.number;
    if (await mayHaveForked(deps, head, mustCompare)) await handleReorg(deps, head);
    // Recorded after the comparison, because the current finalized block does not apply to blocks that were indexed before it was final.
    const recorded = nullOnAbort(record(head, session.position.block), signal);
    recorded.catch(() => undefined);
    // Awaited after the batches, so that nothing is being written when a failure reopens the index.
    if (head.number > session.position.block) await deps.advance(head.number, isFollowing ? "follow" : "backfill", signal);
    await recorded;
    if (signal.aborted || session.position.block < head.number) return;
    await recordHeadReached();
    deps.heartbeat?.beat();
  };

  return {
    follow: async (signal) => {
      let announced: Head | null = null;
      // The first head is always compared, because the node may have left the stored branch before the index was opened.
      for (let mustCompare = true; !signal.aborted; mustCompare = false) {
        await advanceToHead(announced, mustCompare, signal);
        announced = null;
        if (session.position.block < (latest ?? 0)) continue;
        if (deps.headFeed === undefined) await sleep(chain.pollMilliseconds, signal);
        else announced = await deps.headFeed.next(chain.pollMilliseconds, signal);
      }
    },
    get head() {
      return latest;
    },
    get isFollowing() {
      return isFollowing;
    },
    restart: () => {
      isFollowing = false;
    },
  };
};

/** Whether the stored branch has to be compared with the node's. */
const mayHaveForked = async ({ ledger, session }: FollowDeps, head: Head, mustCompare: boolean): Promise<boolean> => {
  const { block, hash } = session.position;
  if (hash === null) return false;
  if (mustCompare) return true;
  if (head.number > block) return false;
  // A node with a lower head is lagging, unless it has a different block at that height.
  const stored = head.number === block ? hash : (await ledger.hashes(head.number, head.number)).get(head.number);
  return stored !== undefined && stored !== head.hash;
};
