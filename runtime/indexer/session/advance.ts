import { BrokenChainError } from "../../chain/errors.ts";
import { prefetchBlocks } from "../../chain/prefetch-blocks.ts";
import type { ChainBlock } from "../../chain/types.ts";
import { nullOnAbort } from "../../lib/async.ts";
import type { Hash } from "../../lib/hex.ts";
import { errorKindOf, type Span, withSpan } from "../../lib/tracing.ts";
import { type Batch, type BatchDeps, createBatch } from "../ingest/batch.ts";
import type { Stopwatch } from "../ingest/stopwatch.ts";
import { confirmFirstBlock } from "../reorg/confirm.ts";
import type { PreparedBatch } from "../storage/write-batch.ts";
import type { IndexerDeps, Tuning } from "../types.ts";
import type { IndexSession } from "./index-session.ts";
import type { Progress } from "./progress.ts";

export interface AdvanceDeps extends Pick<IndexerDeps, "chain" | "source" | "clock" | "takeExtraAccounts" | "onProgress" | "tracer"> {
  readonly session: IndexSession;
  readonly batchDeps: () => BatchDeps;
  readonly stopwatch: Stopwatch;
  readonly tuning: Tuning;
}

/** "follow" if the head was reached before; each batch is then committed durably. */
type Phase = "backfill" | "follow";

/**
 * Indexes up to a block, in batches of bounded memory. While one batch is written, the next one's blocks are fetched, decoded and folded. Batches are
 * committed in order; if one cannot be written, the batch prepared after it is dropped. Returns early if another writer has committed in between, because the
 * prepared rows were folded from rows that have changed.
 */
export const createAdvance = (deps: AdvanceDeps) => {
  const { session, chain, clock, tuning, tracer } = deps;

  const startBatch = () => ({
    batch: createBatch(deps.batchDeps(), session.cache, session.joined),
    since: clock().getTime(),
    span: tracer?.start("index blocks", "internal", { "ashlar.chain": chain.name }),
  });

  const isFull = ({ batch, since }: { readonly batch: Batch; readonly since: number }): boolean => {
    const { blocks, transactions, logs, bytes } = batch.size();
    if (blocks >= tuning.batchBlocks || transactions >= tuning.batchTransactions || logs >= tuning.batchLogs) return true;
    return bytes >= tuning.batchBytes || clock().getTime() - since >= tuning.batchMilliseconds;
  };

  return async (to: number, phase: Phase, signal: AbortSignal): Promise<void> => {
    const report = createReport(deps, phase, to);
    // A backfill's first event shows where it starts or resumes.
    if (phase === "backfill") report({ lastBlock: session.position.block, blockCount: 0, transactionCount: 0 }, 0);
    const chunks = fetchChunks(deps, to, signal);
    const commits = createCommitQueue(session, phase === "follow", report);
    let current = startBatch();
    try {
      for (let chunk = await chunks.next(current.span); chunk !== null; chunk = await chunks.next(current.span)) {
        const { batch, span } = current;
        if (chunk.length > 0 && !(await withSpan(span, "fold", () => batch.add(chunk, signal)))) break;
        const isLast = chunk.length === 0;
        if (!isLast && !isFull(current)) continue;
        if (!(await commits.add(batch.finish(), signal, span)) || isLast) break;
        current = startBatch();
      }
      await commits.settled();
      chunks.throwFailure();
    } finally {
      await commits.settled().catch(() => undefined);
      // If the batch was written, its span has ended already.
      current.span?.end({ attributes: { "ashlar.blocks": 0 } });
    }
  };
};

export type Advance = ReturnType<typeof createAdvance>;

const createReport = ({ session, onProgress }: AdvanceDeps, phase: Phase, target: number) => {
  const event = { phase, projection: null, from: session.facts.from, target } satisfies Partial<Progress>;
  return (
    { lastBlock, blockCount, transactionCount }: Pick<PreparedBatch, "lastBlock" | "blockCount" | "transactionCount">,
    rows: number,
  ): void => onProgress?.({ ...event, block: lastBlock, blockCount, transactionCount, rowCount: rows });
};

/**
 * Chunks of blocks that follow the position. `next` returns an empty chunk at the end or after a failed fetch, and null if the signal aborts. The failure
 * is stored for `throwFailure`, so that the blocks before it are written first: a node that fails occasionally must not stop the index.
 */
const fetchChunks = ({ session, source, chain, takeExtraAccounts, stopwatch, tuning }: AdvanceDeps, to: number, signal: AbortSignal) => {
  const accounting = session.facts.nativeAccounting;
  const chunks = prefetchBlocks(
    (first, last) => source.fetchBlocks(first, last, { accounting, extraAccounts: takeExtraAccounts?.() ?? [] }),
    {
      from: session.position.block + 1,
      to,
      maxInFlight: tuning.requestsInFlight,
      maxBlocks: tuning.requestBlocks,
      targetTransactions: tuning.requestTransactions,
      signal,
    },
  );
  let tip = session.position.hash;
  let failure: unknown;
  return {
    next: async (span: Span | undefined): Promise<readonly ChainBlock[] | null> => {
      const chunk = await stopwatch
        .time("fetch", () => withSpan(span, "fetch", () => nullOnAbort(chunks.next(), signal)))
        .catch((error: unknown): IteratorReturnResult<void> => {
          failure = error;
          return { done: true, value: undefined };
        });
      if (chunk === null || signal.aborted) return null;
      if (chunk.done === true) return [];
      await confirm({ source, chain }, tip, chunk.value);
      tip = chunk.value.at(-1)?.hash ?? tip;
      return chunk.value;
    },
    throwFailure: (): void => {
      if (failure !== undefined) throw failure;
    },
  };
};

/** Commits one batch at a time, in order. `add` only waits for the previous batch, so that the next one can be prepared in the meantime. */
const createCommitQueue = (session: IndexSession, isDurable: boolean, onCommit: (batch: PreparedBatch, rows: number) => void) => {
  let writing: Promise<void> = Promise.resolve();
  return {
    /** Starts writing a batch; false if there is none or it must not be written. */
    add: async (batch: PreparedBatch | null, signal: AbortSignal, span: Span | undefined): Promise<boolean> => {
      await writing;
      const commit = batch === null || signal.aborted ? null : await session.commit(batch, isDurable);
      if (commit === null || batch === null) return false;
      const written = withSpan(span, "write", () => commit.done);
      if (span !== undefined) endWithBatch(span, batch, written);
      writing = written.then((rows) => onCommit(batch, rows));
      // A failure is thrown by the next call to `add` or `settled`.
      writing.catch(() => undefined);
      return true;
    },
    settled: (): Promise<void> => writing,
  };
};

/** Ends a batch's span when the batch is written. */
const endWithBatch = (
  span: Span,
  { firstBlock, lastBlock, blockCount, transactionCount }: PreparedBatch,
  written: Promise<number>,
): void => {
  const attributes = {
    "ashlar.first_block": firstBlock,
    "ashlar.last_block": lastBlock,
    "ashlar.blocks": blockCount,
    "ashlar.transactions": transactionCount,
  };
  written.then(
    (rows) => span.end({ attributes: { ...attributes, "ashlar.rows": rows } }),
    (error: unknown) => span.end({ attributes, error: errorKindOf(error) }),
  );
};

/**
 * Checks that blocks follow the tip or, if there is none, that the node returns the first block again.
 * @throws {BrokenChainError}
 * @throws {InvalidResponseError}
 */
const confirm = async ({ source, chain }: Pick<AdvanceDeps, "source" | "chain">, tip: Hash | null, blocks: readonly ChainBlock[]) => {
  const [first] = blocks;
  if (first === undefined) return;
  if (tip === null) return confirmFirstBlock(source, chain, first);
  if (first.parentHash !== tip) {
    throw new BrokenChainError(`The node returned block ${first.number}, whose parent is not the indexed block ${first.number - 1}.`);
  }
};
