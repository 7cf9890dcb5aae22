import { BrokenChainError } from "../../chain/errors.ts";
import { prefetch } from "../../chain/prefetch.ts";
import type { Source } from "../../chain/source.ts";
import type { ChainBlock } from "../../chain/types.ts";
import { type Mutex, nullOnAbort } from "../../lib/async.ts";
import type { Hash } from "../../lib/hex.ts";
import { type BatchDeps, beginBatch, type PreparedBatch, writeBatch } from "../ingest/batch.ts";
import type { ChainFacts, Projection } from "../projection.ts";
import { confirmFirst } from "../reorg/confirm.ts";
import type { StateCache } from "../state/state-cache.ts";
import type { IndexedChain, IndexerDeps, Tuning } from "../types.ts";
import type { Loop } from "./loop.ts";
import type { Progress, Stopwatch } from "./progress.ts";

export interface AdvanceDeps extends Pick<IndexerDeps, "chain" | "source" | "clock" | "alsoTouched"> {
  readonly all: readonly Projection[];
  readonly loop: Loop;
  readonly lock: Mutex;
  readonly batchDeps: (facts: ChainFacts) => BatchDeps;
  readonly stopwatch: Stopwatch;
  readonly tuning: Tuning;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

type Portion = IteratorResult<ChainBlock[], void>;

/** A batch that is being written: nobody else writes until it is done. */
interface Writing {
  readonly done: Promise<void>;
}

/**
 * Indexes up to a height, in batches that a part of the memory can hold. While one batch is written, the blocks of the next are fetched, decoded and
 * folded; batches are committed in their order, and when one cannot be written, what was made ready after it is thrown away. Ends early when somebody
 * else has written in between: what was folded by then started from rows that are no more.
 */
export const createAdvance = ({
  chain,
  source,
  all,
  loop,
  lock,
  batchDeps,
  stopwatch,
  tuning,
  clock,
  onProgress,
  alsoTouched,
}: AdvanceDeps) => {
  const begin = (facts: ChainFacts) => {
    const { cache, joined } = loop;
    const projections = all.filter((projection) => joined.has(projection));
    return { cache, batch: beginBatch(batchDeps(facts), cache, projections), since: clock().getTime() };
  };

  const isFull = ({ batch, since }: ReturnType<typeof begin>): boolean => {
    const { blocks, transactions, logs, bytes } = batch.size();
    if (blocks >= tuning.batchBlocks || transactions >= tuning.batchTransactions || logs >= tuning.batchLogs) return true;
    return bytes >= tuning.batchBytes || clock().getTime() - since >= tuning.batchMilliseconds;
  };

  const commit = async (facts: ChainFacts, batch: PreparedBatch, target: number): Promise<void> => {
    const phase = loop.following ? "follow" : "backfill";
    const rows = await writeBatch(batchDeps(facts), batch, loop.following);
    loop.position.block = batch.last;
    loop.position.hash = batch.hash;
    const event = { phase, projection: null, from: facts.from, block: batch.last, target } as const;
    onProgress?.({ ...event, blocks: batch.blocks, transactions: batch.transactions, rows });
  };

  /** Begins to write as soon as nobody else does; null where somebody else has written what the batch started from. */
  const write = (facts: ChainFacts, batch: PreparedBatch, cache: StateCache, target: number): Promise<Writing | null> =>
    new Promise((resolve, reject) => {
      const work = async (): Promise<void> => {
        if (cache !== loop.cache) return resolve(null);
        const done = commit(facts, batch, target);
        // Told in an object: a promise would be waited for.
        resolve({ done });
        await done;
      };
      lock(work).catch(reject);
    });

  return async (facts: ChainFacts, to: number, signal: AbortSignal): Promise<void> => {
    // Where a backfill begins, or goes on after a stop: what is shown of it starts here.
    const start = { phase: "backfill", projection: null, from: facts.from, block: loop.position.block, target: to } as const;
    if (!loop.following) onProgress?.({ ...start, blocks: 0, transactions: 0, rows: 0 });
    const options = {
      from: loop.position.block + 1,
      to,
      inFlight: tuning.requestsInFlight,
      blocks: tuning.requestBlocks,
      transactions: tuning.requestTransactions,
      signal,
    };
    const accounting = facts.nativeAccounting;
    const portions = prefetch((first, last) => source.fetch(first, last, { accounting, also: alsoTouched?.() ?? [] }), options);
    let tip = loop.position.hash;
    let current = begin(facts);
    let writing: Promise<void> = Promise.resolve();
    let failure: unknown;
    /** The next portion, folded; null when the signal came. */
    const take = async (): Promise<"taken" | "ended" | null> => {
      const portion = await stopwatch
        .time("fetch", () => nullOnAbort(portions.next(), signal))
        .catch((error: unknown): Portion => {
          // What came before is written first: a node that fails now and then must not keep the index where it is.
          failure = error;
          return { done: true, value: undefined };
        });
      if (portion === null || signal.aborted) return null;
      if (portion.done === true) return "ended";
      await confirm(source, chain, tip, portion.value);
      if (!(await current.batch.add(portion.value, signal))) return null;
      tip = portion.value.at(-1)?.hash ?? tip;
      return "taken";
    };
    /** Begins to write what was gathered, after the batch before it; false where it must not be written. */
    const hand = async (): Promise<boolean> => {
      const prepared = current.batch.finish();
      await writing;
      const begun = prepared === null || signal.aborted ? null : await write(facts, prepared, current.cache, to);
      if (begun === null) return false;
      writing = begun.done;
      // A failure is told when its turn comes; until then it is not an unhandled one.
      writing.catch(() => undefined);
      return true;
    };
    try {
      for (let step = await take(); step !== null; step = await take()) {
        if (step !== "ended" && !isFull(current)) continue;
        if (!(await hand()) || step === "ended") break;
        current = begin(facts);
      }
      await writing;
      if (failure !== undefined) throw failure;
    } finally {
      await writing.catch(() => undefined);
    }
  };
};

/** Blocks follow the tip; where there is none yet, the first one is asked for a second time. @throws {BrokenChainError} */
const confirm = async (source: Source, chain: IndexedChain, tip: Hash | null, blocks: readonly ChainBlock[]): Promise<void> => {
  const [first] = blocks;
  if (first === undefined) return;
  if (tip === null) return confirmFirst(source, chain, first);
  if (first.parentHash !== tip) {
    throw new BrokenChainError(`The node's block ${first.number} does not follow the indexed block ${first.number - 1}.`);
  }
};

export type Advance = ReturnType<typeof createAdvance>;
