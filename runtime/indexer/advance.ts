import { BrokenChainError } from "../chain/errors.ts";
import { prefetch } from "../chain/prefetch.ts";
import type { Source } from "../chain/source.ts";
import type { ChainBlock } from "../chain/types.ts";
import type { Hash } from "../lib/hex.ts";
import { type BatchDeps, type PreparedBatch, prepareBatch, writeBatch } from "./batch.ts";
import { createCollector } from "./collect.ts";
import { confirmFirst } from "./confirm.ts";
import type { createLock } from "./lock.ts";
import type { Loop } from "./loop.ts";
import { orStopped } from "./or-stopped.ts";
import type { Progress, Stopwatch } from "./progress.ts";
import type { ChainFacts, Projection } from "./projection.ts";
import type { StateCache } from "./state-cache.ts";
import type { IndexedChain, Tuning } from "./types.ts";

export interface AdvanceDeps {
  readonly chain: IndexedChain;
  readonly source: Source;
  readonly all: readonly Projection[];
  readonly loop: Loop;
  readonly lock: ReturnType<typeof createLock>;
  readonly batchDeps: (facts: ChainFacts) => BatchDeps;
  readonly stopwatch: Stopwatch;
  readonly tuning: Tuning;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** A batch with the memory that it was folded from, and its blocks, so that it can be folded again. */
interface Ready {
  readonly batch: PreparedBatch;
  readonly cache: StateCache;
  readonly blocks: readonly ChainBlock[];
  readonly hash: Hash;
}

/** A batch that is being written: nobody else writes until it is done. */
interface Writing {
  readonly done: Promise<void>;
}

/**
 * Indexes up to a height, in batches that a part of the memory can hold. While one batch is written, the next is fetched, decoded and folded; they are
 * committed in their order, and when one cannot be written, what was made ready after it is thrown away.
 */
export const createAdvance = ({ chain, source, all, loop, lock, batchDeps, stopwatch, tuning, onProgress }: AdvanceDeps) => {
  const prepare = async (facts: ChainFacts, blocks: readonly ChainBlock[], signal: AbortSignal): Promise<Ready | null> => {
    const { cache, joined } = loop;
    const last = blocks.at(-1);
    const projections = all.filter((projection) => joined.has(projection));
    const batch = await prepareBatch(batchDeps(facts), cache, projections, blocks, signal);
    return batch === null || last === undefined ? null : { batch, cache, blocks, hash: last.hash };
  };

  const commit = async (facts: ChainFacts, { batch, blocks, hash }: Ready, target: number): Promise<void> => {
    const phase = loop.following ? "follow" : "backfill";
    const rows = await writeBatch(batchDeps(facts), batch, loop.following);
    loop.position.block = batch.last;
    loop.position.hash = hash;
    const transactions = blocks.reduce((sum, block) => sum + block.transactions.length, 0);
    onProgress?.({ phase, projection: null, block: batch.last, target, blocks: blocks.length, transactions, rows });
  };

  /** Begins to write as soon as nobody else does; null where the signal came before. What is prepared from then on knows this batch's rows. */
  const write = (facts: ChainFacts, ready: Ready, target: number, signal: AbortSignal): Promise<Writing | null> =>
    new Promise((resolve, reject) => {
      const work = async (): Promise<void> => {
        // Somebody else has written in between: what was folded may start from rows that are no more.
        const sound = ready.cache === loop.cache ? ready : await prepare(facts, ready.blocks, signal);
        if (sound === null) return resolve(null);
        const done = commit(facts, sound, target);
        resolve({ done });
        await done;
      };
      // A failure after the beginning is told by `done`.
      lock(work).catch(reject);
    });

  return async (facts: ChainFacts, to: number, signal: AbortSignal): Promise<void> => {
    const { position } = loop;
    const options = {
      from: position.block + 1,
      to,
      inFlight: tuning.requestsInFlight,
      blocks: tuning.requestBlocks,
      transactions: tuning.requestTransactions,
      signal,
    };
    let tip = position.hash;
    const collector = createCollector(tuning);
    const portions = prefetch(source.fetch, options);
    let writing: Promise<void> = Promise.resolve();
    try {
      for (let ended = false; !ended && !signal.aborted; ) {
        const portion = await stopwatch.time("fetch", () => orStopped(portions.next(), signal));
        if (portion === null) break;
        ended = portion.done === true;
        if (portion.done !== true) collector.add(portion.value);
        const blocks = ended || collector.isFull() ? collector.take() : [];
        const [first] = blocks;
        if (first === undefined) continue;
        if (tip !== null && first.parentHash !== tip) {
          throw new BrokenChainError(`The node's block ${first.number} does not follow the indexed block ${first.number - 1}.`);
        }
        if (tip === null) await confirmFirst(source, chain, first);
        const ready = await prepare(facts, blocks, signal);
        await writing;
        const begun = ready === null || signal.aborted ? null : await write(facts, ready, to, signal);
        if (ready === null || begun === null) break;
        tip = ready.hash;
        writing = begun.done;
        // Told when its turn comes; until then it is not an unhandled one.
        writing.catch(() => undefined);
      }
      await writing;
    } finally {
      await writing.catch(() => undefined);
    }
  };
};

export type Advance = ReturnType<typeof createAdvance>;
