import type { Source } from "../chain/source.ts";
import type { ChainBlock } from "../chain/types.ts";
import type { Database } from "../database/database.ts";
import { createEventDecoder } from "../events/decode-events.ts";
import type { DecodedBlock } from "../events/decoded-block.ts";
import type { Hex } from "../lib/hex.ts";
import { type GenesisAllocation, readBase, writeBaseReads } from "./base-reads.ts";
import { advanceCheckpoints } from "./checkpoints.ts";
import type { Leadership } from "./leader.ts";
import { orStopped } from "./or-stopped.ts";
import type { Stopwatch } from "./progress.ts";
import { type BaseRead, baseReadKey, type ChainFacts, type Projection, type Row } from "./projection.ts";
import type { State } from "./state.ts";
import { loadState, type StateCache } from "./state-cache.ts";
import { writeRows } from "./write.ts";

export interface BatchDeps {
  readonly database: Database;
  readonly source: Pick<Source, "balances" | "calls">;
  readonly chainId: number;
  readonly facts: ChainFacts;
  readonly allocation: GenesisAllocation | undefined;
  readonly stopwatch: Stopwatch;
  /** Refuses a transaction of a process that may not write any more. */
  readonly guard: Leadership["guard"];
}

/** Blocks folded to rows, with nothing written yet. */
export interface PreparedBatch {
  readonly first: number;
  readonly last: number;
  readonly projections: readonly Projection[];
  /** Rows of each projection by the name of their table. */
  readonly folded: readonly Readonly<Record<string, readonly Row[]>>[];
  readonly baseReads: readonly Row[];
}

/**
 * Folds blocks from the rows that the cache knows or loads, and gives the cache what came out: so the next batch can be prepared before this one is
 * written. Null when the signal came while the node was asked.
 */
export const prepareBatch = async (
  deps: BatchDeps,
  cache: StateCache,
  projections: readonly Projection[],
  blocks: readonly ChainBlock[],
  signal: AbortSignal,
): Promise<PreparedBatch | null> => {
  const first = blocks[0];
  const last = blocks.at(-1);
  if (first === undefined || last === undefined) throw new RangeError("A batch has at least one block.");
  const { database, chainId, facts, stopwatch } = deps;
  cache.begin();
  const decoded = stopwatch.timeNow("decode", () => blocks.map(createEventDecoder(projections.flatMap(({ events }) => events))));
  const states = await stopwatch.time("load", () =>
    Promise.all(projections.map((projection) => loadState(cache, database, chainId, projection, projection.needs(decoded, facts)))),
  );
  const reads = projections.flatMap((projection, position) => {
    const state = states[position];
    return state === undefined ? [] : (projection.reads?.(decoded, state, facts) ?? []);
  });
  const base = await stopwatch.time("read", () =>
    orStopped(readBase(cache, database, deps.source, chainId, facts, reads, deps.allocation), signal),
  );
  if (base === null) return null;
  const folded = stopwatch.timeNow("fold", () => {
    const rows = projections.map((projection, position) => foldOne(projection, decoded, states[position], facts, base.outcomes));
    cache.keepFolded(projections, rows);
    return rows;
  });
  return { first: first.number, last: last.number, projections, folded, baseReads: base.rows };
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
      let rows = await writeBaseReads(client, deps.chainId, batch.baseReads);
      for (const [position, projection] of batch.projections.entries()) {
        rows += await writeRows(client, deps.chainId, projection.tables, batch.folded[position] ?? {});
      }
      return rows;
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
