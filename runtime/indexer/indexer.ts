import { BadReplyError, BrokenChainError, RpcError, TransportError } from "../chain/errors.ts";
import { prefetch } from "../chain/prefetch.ts";
import type { Head } from "../chain/source.ts";
import type { ChainBlock } from "../chain/types.ts";
import { DatabaseUnavailable } from "../database/errors.ts";
import type { Hash } from "../lib/hex.ts";
import { type BatchDeps, indexBatch } from "./batch.ts";
import { catchUpOnce } from "./catch-up.ts";
import { readChain, recordBackfilled, recordHead } from "./chain-row.ts";
import { readCheckpoints } from "./checkpoints.ts";
import { finalizedChanged } from "./errors.ts";
import { findAncestor } from "./find-ancestor.ts";
import { createLock } from "./lock.ts";
import { openIndex } from "./open-index.ts";
import { orStopped } from "./or-stopped.ts";
import { pause } from "./pause.ts";
import { createStopwatch } from "./progress.ts";
import type { ChainFacts, Projection } from "./projection.ts";
import { rollBack } from "./roll-back.ts";
import type { Indexer, IndexerDeps, Tuning } from "./types.ts";

const usualTuning: Tuning = {
  batchTransactions: 2_000,
  batchLogs: 10_000,
  batchBlocks: 500,
  requestTransactions: 500,
  requestBlocks: 50,
  requestsInFlight: 4,
};

const longestPause = 30_000;

/** What the loop knows of the index while it runs; read anew after every failure. */
interface Position {
  block: number;
  hash: Hash | null;
  /** The node may have left the stored branch: the last hashes are to be compared before anything else. */
  suspect: boolean;
}

/** The loop of one chain. */
export const createIndexer = (deps: IndexerDeps): Indexer => {
  const { chain, source, database, ledger, logger } = deps;
  const tuning: Tuning = { ...usualTuning, ...deps.tuning };
  const all: readonly Projection[] = [ledger.projection, ...deps.projections];
  const following = [{ name: "base_reads", blockColumn: "block_number" }, ...(deps.following ?? [])];
  const stopwatch = createStopwatch();
  const lock = createLock();
  const state = { head: null as number | null, following: false, joined: new Set<Projection>(), facts: null as ChainFacts | null };
  const position: Position = { block: chain.from - 1, hash: null, suspect: true };

  const batchDeps = (facts: ChainFacts): BatchDeps => ({
    database,
    source,
    chainId: chain.id,
    facts,
    allocation: deps.genesisAllocation,
    stopwatch,
  });

  const open = async (): Promise<ChainFacts> => {
    const opened = await openIndex(database, source, chain, all, deps.genesisAllocation !== undefined);
    if (state.facts === null) opened.warnings.forEach((warning) => void logger.warn(warning));
    const checkpoints = await readCheckpoints(database, chain.id);
    position.block = checkpoints.get(ledger.projection.id)?.block ?? opened.facts.from - 1;
    position.hash = (await ledger.hashes(position.block, position.block)).get(position.block) ?? null;
    position.suspect = position.hash !== null;
    state.joined = new Set(all.filter(({ id }) => checkpoints.get(id)?.block === position.block));
    state.facts = opened.facts;
    return opened.facts;
  };

  const write = (facts: ChainFacts, blocks: readonly ChainBlock[], target: number, signal: AbortSignal): Promise<void> =>
    lock(async () => {
      const first = blocks[0];
      const last = blocks.at(-1);
      if (first === undefined || last === undefined) return;
      if (position.hash !== null && first.parentHash !== position.hash) {
        position.suspect = true;
        throw new BrokenChainError(`The node's block ${first.number} does not follow the indexed block ${position.block}.`);
      }
      const joined = all.filter((projection) => state.joined.has(projection));
      const rows = await indexBatch(batchDeps(facts), joined, blocks, signal);
      if (rows === null) return;
      position.block = last.number;
      position.hash = last.hash;
      const transactions = blocks.reduce((sum, block) => sum + block.transactions.length, 0);
      const phase = state.following ? "follow" : "backfill";
      deps.onProgress?.({ phase, projection: null, block: last.number, target, blocks: blocks.length, transactions, rows });
    });

  /** Indexes up to a height, in batches that a part of the memory can hold. */
  const advance = async (facts: ChainFacts, to: number, signal: AbortSignal): Promise<void> => {
    const options = {
      from: position.block + 1,
      to,
      inFlight: tuning.requestsInFlight,
      blocks: tuning.requestBlocks,
      transactions: tuning.requestTransactions,
      signal,
    };
    let waiting: ChainBlock[] = [];
    const portions = prefetch(source.fetch, options);
    for (;;) {
      const portion = await stopwatch.time("fetch", () => orStopped(portions.next(), signal));
      if (portion === null) return;
      if (portion.done !== true) waiting = waiting.concat(portion.value);
      if (portion.done === true || isFull(waiting, tuning)) {
        await write(facts, waiting, to, signal);
        waiting = [];
      }
      if (portion.done === true || signal.aborted) return;
    }
  };

  const reorganise = async (facts: ChainFacts, head: Head): Promise<void> => {
    const record = await readChain(database, chain.id);
    const top = Math.min(position.block, head.number);
    const ancestor = await findAncestor(source, ledger, top, facts.from);
    if (ancestor === top) return;
    if (record?.finalized !== null && record?.finalized !== undefined && ancestor < Math.min(record.finalized, top)) {
      throw finalizedChanged(chain.name, ancestor + 1, record.finalized);
    }
    logger.warn(`${chain.name} was reorganised: blocks ${ancestor + 1} to ${position.block} are taken back.`);
    await lock(() => database.transaction((client) => rollBack(client, chain.id, ancestor, facts.baseBlock, all, following)));
    const depth = position.block - ancestor;
    deps.onProgress?.({
      phase: "reorganisation",
      projection: null,
      block: ancestor,
      target: head.number,
      blocks: depth,
      transactions: 0,
      rows: 0,
    });
    await open();
  };

  const hasLeft = async (head: Head): Promise<boolean> => {
    if (position.hash === null) return false;
    if (position.suspect) return true;
    if (head.number > position.block) return false;
    // A lower head is a node that lags, unless it has another block there.
    const stored = head.number === position.block ? position.hash : (await ledger.hashes(head.number, head.number)).get(head.number);
    return stored !== undefined && stored !== head.hash;
  };

  /** One look at the node's head, and what follows from it. */
  const keepUp = async (facts: ChainFacts, signal: AbortSignal): Promise<void> => {
    const seen = await orStopped(Promise.all([source.head(), source.finalized()]), signal);
    if (seen === null) return;
    const [head, finalized] = seen;
    state.head = head.number;
    if (await hasLeft(head)) await reorganise(facts, head);
    position.suspect = false;
    // After the comparison: what is final now says nothing of blocks that were indexed before it was.
    await recordHead(database, chain.id, head, finalized, deps.clock());
    if (head.number > position.block) await advance(facts, head.number, signal);
    if (signal.aborted || position.block < head.number) return;
    if (!state.following) await recordBackfilled(database, chain.id, deps.clock());
    if (!state.following) logger.info(`${chain.name} is indexed up to its head, block ${position.block}.`);
    state.following = true;
    await pause(chain.pollMilliseconds, signal);
  };

  const follow = async (facts: ChainFacts, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) await keepUp(facts, signal);
  };

  const catchUp = async (facts: ChainFacts, signal: AbortSignal): Promise<void> => {
    const size = { transactions: tuning.batchTransactions, blocks: tuning.batchBlocks };
    for (const projection of all) {
      while (!signal.aborted && !state.joined.has(projection)) {
        await lock(async () => {
          if (await catchUpOnce(batchDeps(facts), ledger, projection, size, deps.onProgress, signal)) state.joined.add(projection);
        });
      }
    }
  };

  /** Follows the head and catches up beside it; the failure of one ends both. */
  const runOnce = async (facts: ChainFacts, signal: AbortSignal): Promise<void> => {
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    const guarded = (work: Promise<void>) =>
      work.catch((error: unknown) => {
        stop.abort();
        throw error;
      });
    const results = await Promise.allSettled([guarded(follow(facts, either)), guarded(catchUp(facts, either))]);
    for (const result of results) if (result.status === "rejected") throw result.reason;
  };

  return {
    run: async (signal) => {
      state.following = false;
      for (let failures = 0; !signal.aborted; ) {
        const before = position.block;
        try {
          const facts = await orStopped(open(), signal);
          if (facts !== null) await runOnce(facts, signal);
        } catch (error) {
          if (!isPassing(error)) throw error;
          failures = position.block > before ? 1 : failures + 1;
          logger.warn(`${chain.name}: ${error.message} Trying again.`);
          await pause(Math.min(longestPause, 100 * 2 ** failures), signal);
        }
      }
    },
    status: () => ({
      block: position.block,
      head: state.head,
      following: state.following,
      catchingUp: state.facts === null ? [] : all.filter((projection) => !state.joined.has(projection)).map(({ id }) => id),
      spent: stopwatch.spent,
    }),
  };
};

const isFull = (blocks: readonly ChainBlock[], tuning: Tuning): boolean => {
  const transactions = blocks.reduce((sum, block) => sum + block.transactions.length, 0);
  if (blocks.length >= tuning.batchBlocks || transactions >= tuning.batchTransactions) return true;
  return (
    blocks.reduce((sum, block) => sum + block.transactions.reduce((logs, transaction) => logs + transaction.logs.length, 0), 0) >=
    tuning.batchLogs
  );
};

/** SQLSTATE classes of what may pass by itself: connection, resources, operator's stop, serialisation (PostgreSQL, appendix A). */
const passingStates = /^(08|53|57|40)/;

const isPassing = (error: unknown): error is Error => {
  if (!(error instanceof Error)) return false;
  const known = [TransportError, BadReplyError, BrokenChainError, RpcError, DatabaseUnavailable].some((kind) => error instanceof kind);
  return known || passingStates.test(String((error as { code?: unknown }).code));
};
