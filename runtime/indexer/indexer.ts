import { BadReplyError, BrokenChainError } from "../chain/errors.ts";
import { prefetch } from "../chain/prefetch.ts";
import type { Head } from "../chain/source.ts";
import type { ChainBlock } from "../chain/types.ts";
import type { Hash } from "../lib/hex.ts";
import { type BatchDeps, indexBatch } from "./batch.ts";
import { catchUpOnce } from "./catch-up.ts";
import { recordBackfilled, recordHead } from "./chain-row.ts";
import { lockCheckpoints, readCheckpoints } from "./checkpoints.ts";
import { confirmFirst } from "./confirm.ts";
import { IndexMismatchError } from "./errors.ts";
import { finalizedHeight } from "./finalized.ts";
import { createLeader, type Leadership, LeadershipLostError } from "./leader.ts";
import { createLock } from "./lock.ts";
import { openIndex } from "./open-index.ts";
import { orStopped } from "./or-stopped.ts";
import { pause } from "./pause.ts";
import { createStopwatch } from "./progress.ts";
import type { ChainFacts, Projection } from "./projection.ts";
import { takeBack } from "./take-back.ts";
import type { Indexer, IndexerDeps, Tuning } from "./types.ts";
import { untilStopped } from "./until-stopped.ts";

const usualTuning: Tuning = {
  batchTransactions: 2_000,
  batchLogs: 10_000,
  batchBlocks: 500,
  requestTransactions: 500,
  requestBlocks: 50,
  requestsInFlight: 4,
};

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
  const leader = createLeader({ database, chain, logger });
  const state = {
    head: null as number | null,
    following: false,
    leadership: null as Leadership | null,
    joined: new Set<Projection>(),
    facts: null as ChainFacts | null,
  };
  const position: Position = { block: chain.from - 1, hash: null, suspect: true };

  const guard: Leadership["guard"] = async (client) => {
    if (state.leadership === null) throw new LeadershipLostError(chain.name);
    await state.leadership.guard(client);
  };

  const batchDeps = (facts: ChainFacts): BatchDeps => ({
    database,
    source,
    chainId: chain.id,
    facts,
    allocation: deps.genesisAllocation,
    stopwatch,
    guard,
  });

  const open = async (): Promise<ChainFacts> => {
    const opened = await openIndex(database, source, chain, all, deps.genesisAllocation !== undefined, guard).catch((error: unknown) => {
      // A node that was the right one in this run has not become another chain's for good: a gateway may lead astray for a while.
      if (state.facts !== null && error instanceof IndexMismatchError) throw new BadReplyError(error.message);
      throw error;
    });
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
      if (position.hash === null) await confirmFirst(source, chain, first);
      const joined = all.filter((projection) => state.joined.has(projection));
      const rows = await indexBatch(batchDeps(facts), joined, blocks, signal);
      if (rows === null) return;
      position.block = last.number;
      position.hash = last.hash;
      const transactions = blocks.reduce((sum, block) => sum + block.transactions.length, 0);
      const phase = state.following ? "follow" : "backfill";
      const event = { phase, projection: null, from: facts.from, block: last.number, target } as const;
      deps.onProgress?.({ ...event, blocks: blocks.length, transactions, rows });
    });

  /** Indexes up to a height, in batches that a part of the memory can hold. */
  const advance = async (facts: ChainFacts, to: number, signal: AbortSignal): Promise<void> => {
    // Where a backfill begins, or goes on after a stop: what is shown of it starts here.
    const start = { phase: "backfill", projection: null, from: facts.from, block: position.block, target: to } as const;
    if (!state.following) deps.onProgress?.({ ...start, blocks: 0, transactions: 0, rows: 0 });
    const options = {
      from: position.block + 1,
      to,
      inFlight: tuning.requestsInFlight,
      blocks: tuning.requestBlocks,
      transactions: tuning.requestTransactions,
      signal,
    };
    let waiting: ChainBlock[] = [];
    const accounting = facts.nativeAccounting;
    const portions = prefetch((first, last) => source.fetch(first, last, { accounting, also: deps.alsoTouched?.() ?? [] }), options);
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
    const indexed = position.block;
    const ancestor = await lock(() => takeBack({ chain, source, database, ledger, logger, guard, all, following }, facts, indexed, head));
    if (ancestor === null) return;
    const depth = indexed - ancestor;
    const event = { phase: "reorganisation", projection: null, from: facts.from, block: ancestor, target: head.number } as const;
    deps.onProgress?.({ ...event, blocks: depth, transactions: 0, rows: 0 });
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

  /** Keeps what the node says of its head. */
  const record = async (head: Head, compared: number): Promise<void> => {
    const finalized = await finalizedHeight(source, head, compared, chain.finality);
    await recordHead(database, chain.id, head, finalized, deps.clock());
  };

  /** One look at the node's head, or one head that the node told by itself, and what follows from it. */
  const keepUp = async (facts: ChainFacts, told: Head | null, signal: AbortSignal): Promise<void> => {
    const head = told ?? (await orStopped(source.head(), signal));
    if (head === null) return;
    if (told === null) deps.heads?.seen(head.number);
    state.head = head.number;
    if (await hasLeft(head)) await reorganise(facts, head);
    position.suspect = false;
    // After the comparison: what is final now says nothing of blocks that were indexed before it was.
    const recorded = orStopped(record(head, position.block), signal);
    await Promise.all([recorded, head.number > position.block ? advance(facts, head.number, signal) : undefined]);
    if (signal.aborted || position.block < head.number) return;
    if (!state.following) await recordBackfilled(database, chain.id, deps.clock());
    if (!state.following) logger.info(`${chain.name} is indexed up to its head, block ${position.block}.`);
    state.following = true;
  };

  const follow = async (facts: ChainFacts, signal: AbortSignal): Promise<void> => {
    for (let told: Head | null = null; !signal.aborted; ) {
      await keepUp(facts, told, signal);
      told = null;
      if (position.block < (state.head ?? 0)) continue;
      if (deps.heads === undefined) await pause(chain.pollMilliseconds, signal);
      else told = await deps.heads.next(chain.pollMilliseconds, signal);
    }
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

  /** Works while this process is the chain's leader; what passes by itself is tried again. */
  const runAsLeader = async (leadership: Leadership, signal: AbortSignal): Promise<void> => {
    state.leadership = leadership;
    try {
      await untilStopped(
        async () => {
          const facts = await orStopped(open(), signal);
          if (facts !== null) await runOnce(facts, signal);
        },
        { chain: chain.name, logger, signal, place: () => position.block },
      );
    } finally {
      state.leadership = null;
    }
  };

  return {
    run: async (signal) => {
      state.following = false;
      await untilStopped(() => leader.lead(signal, (leadership) => runAsLeader(leadership, AbortSignal.any([signal, leadership.lost]))), {
        chain: chain.name,
        logger,
        signal,
        place: () => position.block,
      });
    },
    status: () => ({
      block: position.block,
      head: state.head,
      following: state.following,
      leading: state.leadership !== null,
      catchingUp: state.facts === null ? [] : all.filter((projection) => !state.joined.has(projection)).map(({ id }) => id),
      spent: stopwatch.spent,
    }),
    exclusive: (work) =>
      lock(async () => {
        const { block, hash } = position;
        if (state.leadership === null || hash === null || all.some((projection) => !state.joined.has(projection))) return null;
        return database.transaction(async (client) => {
          const checkpoints = await lockCheckpoints(client, chain.id);
          if (all.some(({ id }) => checkpoints.get(id)?.block !== block)) return null;
          await guard(client);
          return work(client, { number: block, hash });
        });
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
