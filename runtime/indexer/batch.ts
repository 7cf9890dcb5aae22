import type { Source } from "../chain/source.ts";
import type { ChainBlock } from "../chain/types.ts";
import type { Database } from "../database/database.ts";
import { createEventDecoder } from "../events/decode-events.ts";
import type { DecodedBlock } from "../events/decoded-block.ts";
import type { Hex } from "../lib/hex.ts";
import { type GenesisAllocation, readBase, writeBaseReads } from "./base-reads.ts";
import { advanceCheckpoints } from "./checkpoints.ts";
import type { Leadership } from "./leader.ts";
import { loadState } from "./load-state.ts";
import { orStopped } from "./or-stopped.ts";
import type { Stopwatch } from "./progress.ts";
import { type BaseRead, baseReadKey, type ChainFacts, type Projection, type Row } from "./projection.ts";
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

/**
 * Takes blocks that follow a checkpoint into the given projections: all of it in one database transaction, or nothing.
 * Gives the number of rows; null when the signal came while the node was asked.
 */
export const indexBatch = async (
  deps: BatchDeps,
  projections: readonly Projection[],
  blocks: readonly ChainBlock[],
  signal: AbortSignal,
): Promise<number | null> => {
  const first = blocks[0];
  const last = blocks.at(-1);
  if (first === undefined || last === undefined) return 0;
  const { database, chainId, facts, stopwatch } = deps;
  const decoded = await stopwatch.time("decode", () => blocks.map(createEventDecoder(projections.flatMap(({ events }) => events))));
  const states = await stopwatch.time("load", () =>
    Promise.all(projections.map((projection) => loadState(database, chainId, projection, projection.needs(decoded, facts)))),
  );
  const reads = projections.flatMap((projection, position) => {
    const state = states[position];
    return state === undefined ? [] : (projection.reads?.(decoded, state, facts) ?? []);
  });
  const base = await stopwatch.time("read", () =>
    orStopped(readBase(database, deps.source, chainId, facts, reads, deps.allocation), signal),
  );
  if (base === null) return null;
  const folded = await stopwatch.time("fold", () =>
    projections.map((projection, position) => foldOne(projection, decoded, states[position], facts, base.outcomes)),
  );
  return stopwatch.time("write", () =>
    database.transaction(async (client) => {
      await advanceCheckpoints(client, chainId, projections, first.number - 1, last.number);
      await deps.guard(client);
      let rows = await writeBaseReads(client, chainId, base.rows);
      for (const [position, projection] of projections.entries()) {
        rows += await writeRows(client, chainId, projection.tables, folded[position] ?? {});
      }
      return rows;
    }),
  );
};

const foldOne = (
  projection: Projection,
  decoded: readonly DecodedBlock[],
  state: Awaited<ReturnType<typeof loadState>> | undefined,
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
