import type { Head } from "../../chain/source.ts";
import { type Mutex, nullOnAbort, sleep } from "../../lib/async.ts";
import type { ChainFacts } from "../projection.ts";
import { finalizedHeight } from "../reorg/finalized-height.ts";
import { handleReorg, type ReorgDeps } from "../reorg/handle-reorg.ts";
import { recordBackfilled, recordHead, recordNativeHistory } from "../storage/chain-record.ts";
import type { IndexerDeps } from "../types.ts";
import type { Advance } from "./advance.ts";
import type { Loop } from "./loop.ts";

export interface FollowDeps extends ReorgDeps, Pick<IndexerDeps, "clock" | "onProgress"> {
  readonly heads: IndexerDeps["heads"] | undefined;
  readonly loop: Loop;
  readonly lock: Mutex;
  readonly advance: Advance;
  /** Reads anew where the index stands. */
  readonly open: () => Promise<unknown>;
}

/** Keeps the index in step with the node's head until the signal. */
export const createFollow = (deps: FollowDeps) => {
  const { chain, source, database, ledger, logger, loop } = deps;
  const { position } = loop;

  const reorganise = async (facts: ChainFacts, head: Head): Promise<void> => {
    const indexed = position.block;
    const ancestor = await deps.lock(async () => {
      const taken = await handleReorg(deps, facts, indexed, head);
      // With nobody in between: a projection that came level now would be left out by what is read here.
      if (taken !== null) await deps.open();
      return taken;
    });
    if (ancestor === null) return;
    const depth = indexed - ancestor;
    const event = { phase: "reorganisation", projection: null, from: facts.from, block: ancestor, target: head.number } as const;
    deps.onProgress?.({ ...event, blocks: depth, transactions: 0, rows: 0 });
  };

  const hasLeft = async (head: Head): Promise<boolean> => {
    if (position.hash === null) return false;
    if (position.suspect) return true;
    if (head.number > position.block) return false;
    // A lower head is a node that lags, unless it has another block there.
    const stored = head.number === position.block ? position.hash : (await ledger.hashes(head.number, head.number)).get(head.number);
    return stored !== undefined && stored !== head.hash;
  };

  const arrive = async (): Promise<void> => {
    await recordBackfilled(database, chain.id, deps.clock());
    await recordNativeHistory(database, chain.id, await ledger.lacksBalances());
    logger.info(`${chain.name} is indexed up to its head, block ${position.block}.`);
  };

  /** Keeps what the node says of its head. */
  const record = async (head: Head, compared: number): Promise<void> => {
    const finalized = await finalizedHeight(source, head, compared, chain.finality);
    await recordHead(database, chain.id, head, finalized, deps.clock());
  };

  /** One look at the node's head, or one head that the node told by itself, and what follows from it. */
  const keepUp = async (facts: ChainFacts, told: Head | null, signal: AbortSignal): Promise<void> => {
    const head = told ?? (await nullOnAbort(source.head(), signal));
    if (head === null) return;
    if (told === null) deps.heads?.seen(head.number);
    loop.head = head.number;
    if (await hasLeft(head)) await reorganise(facts, head);
    position.suspect = false;
    // After the comparison: what is final now says nothing of blocks that were indexed before it was.
    const recorded = nullOnAbort(record(head, position.block), signal);
    recorded.catch(() => undefined);
    // Its failure waits for the end of what is being written, so that nothing is in flight when the index is opened anew.
    if (head.number > position.block) await deps.advance(facts, head.number, signal);
    await recorded;
    if (signal.aborted || position.block < head.number) return;
    if (!loop.following) await arrive();
    loop.following = true;
  };

  return async (facts: ChainFacts, signal: AbortSignal): Promise<void> => {
    for (let told: Head | null = null; !signal.aborted; ) {
      await keepUp(facts, told, signal);
      told = null;
      if (position.block < (loop.head ?? 0)) continue;
      if (deps.heads === undefined) await sleep(chain.pollMilliseconds, signal);
      else told = await deps.heads.next(chain.pollMilliseconds, signal);
    }
  };
};
