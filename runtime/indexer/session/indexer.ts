import { BadReplyError } from "../../chain/errors.ts";
import { createMutex, nullOnAbort } from "../../lib/async.ts";
import { IndexMismatchError } from "../errors.ts";
import type { BatchDeps } from "../ingest/batch.ts";
import { createLeader, type Leadership, LeadershipLostError } from "../leader/leader.ts";
import type { ChainFacts, Projection } from "../projection.ts";
import { readingLoads, readingTables } from "../state/reading-loads.ts";
import { createStateCache } from "../state/state-cache.ts";
import { readCheckpoints } from "../storage/checkpoints.ts";
import type { Indexer, IndexerDeps, Tuning } from "../types.ts";
import { createAdvance } from "./advance.ts";
import { catchUpOnce } from "./catch-up.ts";
import { createExclusive } from "./exclusive.ts";
import { createFollow } from "./follow.ts";
import type { Loop } from "./loop.ts";
import { openIndex } from "./open-index.ts";
import { createStopwatch } from "./progress.ts";
import { untilStopped } from "./run-until-stopped.ts";

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

/** The loop of one chain. */
export const createIndexer = (deps: IndexerDeps): Indexer => {
  const { chain, source, database, ledger, logger, onProgress } = deps;
  const tuning: Tuning = { ...defaultTuning, ...deps.tuning };
  const all: readonly Projection[] = [ledger.projection, ...deps.projections];
  const following = [...readingTables, ...(deps.following ?? [])];
  const stopwatch = createStopwatch();
  const lock = createMutex();
  const leader = createLeader({ database, chain, logger });
  const loop: Loop = {
    position: { block: chain.from - 1, hash: null, suspect: true },
    head: null,
    following: false,
    leadership: null,
    joined: new Set(),
    facts: null,
    cache: createStateCache([]),
  };
  const { position } = loop;

  const guard: Leadership["guard"] = async (client) => {
    if (loop.leadership === null) throw new LeadershipLostError(chain.name);
    await loop.leadership.guard(client);
  };

  const onUnanswered: BatchDeps["onUnanswered"] = ([first, ...others]) => {
    const who = others.length === 0 ? `contract ${first}` : `${others.length + 1} contracts, ${first} among them`;
    logger.warn(
      `Node of ${chain.name} answered no eth_call to ${who}: their Transfer logs with three or no indexed arguments count as ERC-721.`,
    );
  };

  const batchDeps = (facts: ChainFacts): BatchDeps => ({
    database,
    source,
    chainId: chain.id,
    facts,
    allocation: deps.genesisAllocation,
    stopwatch,
    guard,
    onUnanswered,
  });

  const join = (projections: Iterable<Projection>, isNew = false): void => {
    loop.joined = new Set(projections);
    loop.cache = createStateCache([...loop.joined], { own: readingLoads, isNew });
  };

  const open = async (): Promise<ChainFacts> => {
    const opened = await openIndex(database, source, chain, ledger, all, deps.genesisAllocation !== undefined, guard).catch(
      (error: unknown) => {
        // A node that was the right one in this run has not become another chain's for good: a gateway may lead astray for a while.
        if (loop.facts !== null && error instanceof IndexMismatchError) throw new BadReplyError(error.message);
        throw error;
      },
    );
    if (loop.facts === null) opened.warnings.forEach((warning) => void logger.warn(warning));
    const checkpoints = await readCheckpoints(database, chain.id);
    position.block = checkpoints.get(ledger.projection.id)?.block ?? opened.facts.from - 1;
    position.hash = (await ledger.hashes(position.block, position.block)).get(position.block) ?? null;
    position.suspect = position.hash !== null;
    const level = all.filter(({ id }) => checkpoints.get(id)?.block === position.block);
    join(level, position.block < opened.facts.from);
    loop.facts = opened.facts;
    return opened.facts;
  };

  const advance = createAdvance({ ...deps, onProgress, all, loop, lock, batchDeps, stopwatch, tuning });
  const follow = createFollow({ ...deps, heads: deps.heads, loop, lock, guard, all, following, advance, open });

  const catchUp = async (facts: ChainFacts, signal: AbortSignal): Promise<void> => {
    // Stored blocks are read at once, not in portions.
    const size = {
      transactions: Math.min(tuning.batchTransactions, tuning.requestTransactions * tuning.requestsInFlight),
      blocks: Math.min(tuning.batchBlocks, tuning.requestBlocks * tuning.requestsInFlight),
    };
    for (const projection of all) {
      while (!signal.aborted && !loop.joined.has(projection)) {
        await lock(async () => {
          if (await catchUpOnce(batchDeps(facts), ledger, projection, size, onProgress, signal)) join([...loop.joined, projection]);
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
    loop.leadership = leadership;
    try {
      await untilStopped(
        async () => {
          const facts = await nullOnAbort(open(), signal);
          if (facts !== null) await runOnce(facts, signal);
        },
        { chain: chain.name, logger, signal, place: () => position.block },
      );
    } finally {
      loop.leadership = null;
    }
  };

  return {
    run: async (signal) => {
      loop.following = false;
      await untilStopped(() => leader.lead(signal, (leadership) => runAsLeader(leadership, AbortSignal.any([signal, leadership.lost]))), {
        chain: chain.name,
        logger,
        signal,
        place: () => position.block,
      });
    },
    // What is remembered of stored rows may be of before the work.
    exclusive: createExclusive({ chain, database, ledger, all, loop, lock, guard, finish: () => join(loop.joined) }),
    beside: createExclusive({ chain, database, ledger, all, loop, lock, guard }),
    status: () => ({
      block: position.block,
      head: loop.head,
      following: loop.following,
      leading: loop.leadership !== null,
      catchingUp: loop.facts === null ? [] : all.filter((projection) => !loop.joined.has(projection)).map(({ id }) => id),
      spent: stopwatch.spent,
    }),
  };
};
