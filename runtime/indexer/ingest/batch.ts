import { setImmediate as turn } from "node:timers/promises";
import type { Source } from "../../chain/source.ts";
import type { ChainBlock } from "../../chain/types.ts";
import type { Database } from "../../database/database.ts";
import { createEventDecoder } from "../../events/decode-events.ts";
import type { DecodedBlock } from "../../events/decoded-block.ts";
import { nullOnAbort } from "../../lib/async.ts";
import type { Address, Hash, Hex } from "../../lib/hex.ts";
import type { Leadership } from "../leader/leader.ts";
import { type BaseRead, baseReadKey, type ChainFacts, type Projection, type Row } from "../projection.ts";
import type { Stopwatch } from "../session/progress.ts";
import type { State } from "../state/state.ts";
import { loadState, type StateCache } from "../state/state-cache.ts";
import { advanceCheckpoints } from "../storage/checkpoints.ts";
import { createRowGatherer, type WaitingRows, writeWaiting } from "../storage/gather-rows.ts";
import { type GenesisAllocation, readBase, writeBaseReads } from "./base-reads.ts";
import { readStandards, writeStandards } from "./contract-standards.ts";

export interface BatchDeps {
  readonly database: Database;
  readonly source: Pick<Source, "balances" | "calls" | "head">;
  readonly chainId: number;
  readonly facts: ChainFacts;
  readonly allocation: GenesisAllocation | undefined;
  readonly stopwatch: Stopwatch;
  /** Contracts that the node said nothing of, so that the form of their logs decides what they are. */
  readonly onUnanswered: (contracts: readonly Address[]) => void;
  /** Refuses a transaction of a process that may not write any more. */
  readonly guard: Leadership["guard"];
}

/** Blocks folded to rows, with nothing written yet. */
export interface PreparedBatch {
  readonly projections: readonly Projection[];
  readonly blocks: number;
  readonly transactions: number;
  readonly first: number;
  readonly last: number;
  readonly hash: Hash;
  readonly waiting: readonly WaitingRows[];
  readonly baseReads: readonly Row[];
  readonly standards: readonly Row[];
}

/** Takes blocks as they come, and keeps nothing of them but the rows that they give. */
export interface Batch {
  /** Blocks that follow the ones before. False, with nothing taken, when the signal came while the node was asked. */
  add(blocks: readonly ChainBlock[], signal: AbortSignal): Promise<boolean>;
  size(): { readonly blocks: number; readonly transactions: number; readonly logs: number; readonly bytes: number };
  /** Null where there was no block. */
  finish(): PreparedBatch | null;
}

/**
 * Begins a batch. Between the steps other work has its turn: the batch before is being written, and the server waits for this process again and again. Its blocks are folded from the rows that the cache knows or loads, and the cache is given what comes out: so the next batch can be
 * begun before this one is written, when the one before this is.
 */
export const beginBatch = (deps: BatchDeps, cache: StateCache, projections: readonly Projection[]): Batch => {
  const { database, chainId, facts, stopwatch } = deps;
  const decode = createEventDecoder(projections.flatMap(({ events }) => events));
  const gatherer = createRowGatherer(chainId, projections);
  const baseReads: Row[] = [];
  const standards: Row[] = [];
  let first: ChainBlock | undefined;
  let last: ChainBlock | undefined;
  const size = { blocks: 0, transactions: 0, logs: 0 };
  cache.begin();
  return {
    add: async (blocks, signal) => {
      const byForm = stopwatch.timeNow("decode", () => blocks.map(decode));
      await turn();
      const read = await stopwatch.time("read", () => nullOnAbort(readStandards(cache, database, deps.source, chainId, byForm), signal));
      if (read === null) return false;
      const decoded = read.blocks;
      const states = await stopwatch.time("load", () =>
        Promise.all(projections.map((projection) => loadState(cache, database, chainId, projection, projection.needs(decoded, facts)))),
      );
      const reads = projections.flatMap((projection, position) => {
        const state = states[position];
        return state === undefined ? [] : (projection.reads?.(decoded, state, facts) ?? []);
      });
      const base = await stopwatch.time("read", () =>
        nullOnAbort(readBase(cache, database, deps.source, chainId, facts, reads, deps.allocation), signal),
      );
      if (base === null) return false;
      const folded: Readonly<Record<string, readonly Row[]>>[] = [];
      for (const [position, projection] of projections.entries()) {
        folded.push(stopwatch.timeNow("fold", () => foldOne(projection, decoded, states[position], facts, base.outcomes)));
        await turn();
      }
      stopwatch.timeNow("fold", () => cache.keepFolded(projections, folded));
      for (const [position, rows] of folded.entries()) {
        stopwatch.timeNow("fold", () => gatherer.add(position, rows));
        await turn();
      }
      baseReads.push(...base.rows);
      standards.push(...read.rows);
      if (read.unanswered.length > 0) deps.onUnanswered(read.unanswered);
      first ??= blocks[0];
      last = blocks.at(-1) ?? last;
      size.blocks += blocks.length;
      for (const { transactions } of blocks) {
        size.transactions += transactions.length;
        for (const { logs } of transactions) size.logs += logs.length;
      }
      return true;
    },
    size: () => ({ ...size, bytes: gatherer.bytes() }),
    finish: () => {
      if (first === undefined || last === undefined) return null;
      const { blocks, transactions } = size;
      const heights = { first: first.number, last: last.number, hash: last.hash };
      return { projections, blocks, transactions, ...heights, waiting: gatherer.take(), baseReads, standards };
    },
  };
};

/**
 * Writes a batch that follows the checkpoints of its projections: all of it in one database transaction, or nothing. Gives the number of rows.
 * `lasting` waits until the commit is on the disk; without it a crash of the server may undo the last batches, as a whole and in their order, and they
 * are indexed again.
 */
export const writeBatch = (deps: BatchDeps, batch: PreparedBatch, lasting: boolean): Promise<number> =>
  deps.stopwatch.time("write", () =>
    deps.database.transaction(async (client) => {
      if (!lasting) await client.query("SET LOCAL synchronous_commit = off");
      await advanceCheckpoints(client, deps.chainId, batch.projections, batch.first - 1, batch.last);
      await deps.guard(client);
      const base = await writeBaseReads(client, deps.chainId, batch.baseReads);
      const rows = base + (await writeStandards(client, deps.chainId, batch.standards));
      return rows + (await writeWaiting(client, deps.chainId, batch.waiting));
    }),
  );

const foldOne = (
  projection: Projection,
  decoded: readonly DecodedBlock[],
  state: State | undefined,
  chain: ChainFacts,
  outcomes: Awaited<ReturnType<typeof readBase>>["outcomes"],
): Readonly<Record<string, readonly Row[]>> => {
  if (state === undefined) throw new TypeError(`Projection ${projection.id} has no state.`);
  const base = (read: BaseRead) => {
    const outcome = outcomes.get(baseReadKey(read) as Hex);
    if (outcome === undefined) throw new TypeError(`Projection ${projection.id} asks for ${baseReadKey(read)} without having read it.`);
    return outcome;
  };
  return projection.fold(decoded, { chain, state, base });
};
