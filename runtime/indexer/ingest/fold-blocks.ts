import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { ChainBlock } from "../../chain/types.ts";
import type { DecodedBlock } from "../../events/decoded-block.ts";
import { nullOnAbort } from "../../lib/async.ts";
import type { Address, Hex } from "../../lib/hex.ts";
import { type BaseRead, baseReadKey, type ChainFacts, type Projection, type Row } from "../projection.ts";
import { attributeToProjection } from "../projection-error.ts";
import type { State } from "../state/state.ts";
import { loadState, type StateCache } from "../state/state-cache.ts";
import type { createRowBuffers } from "../storage/row-buffers.ts";
import { type BaseReadDeps, type BaseReadings, readBaseState } from "./base-reads.ts";
import { readStandards } from "./contract-standards.ts";
import type { Stopwatch } from "./stopwatch.ts";

/** A fold's dependencies other than the blocks and the cached state. */
export interface FoldDeps extends BaseReadDeps {
  readonly stopwatch: Stopwatch;
}

interface FoldTarget extends FoldDeps {
  readonly cache: StateCache;
  readonly projections: readonly Projection[];
  readonly decode: (block: ChainBlock) => DecodedBlock;
  readonly buffers: Pick<ReturnType<typeof createRowBuffers>, "add">;
}

/** Required node responses that are not stored yet. */
interface FoldReads {
  readonly baseReads: readonly Row[];
  readonly standards: readonly Row[];
  /** Contracts that the node could not call. */
  readonly unreadContracts: readonly Address[];
}

type FoldedRows = Readonly<Record<string, readonly Row[]>>;

/**
 * Decodes blocks, loads the state that they touch, folds them, and adds the rows to cache and buffers; null, with nothing added, if the signal aborts
 * while the node is queried. Yields to the event loop between the steps, because the previous batch is being written on the same event loop.
 */
export const foldBlocks = async (target: FoldTarget, blocks: readonly ChainBlock[], signal: AbortSignal): Promise<FoldReads | null> => {
  const { cache, source, facts, projections, stopwatch } = target;
  const decodedByForm = stopwatch.timeSync("decode", () => blocks.map(target.decode));
  await yieldToEventLoop();
  const standards = await stopwatch.time("read", () => nullOnAbort(readStandards(cache, source, decodedByForm), signal));
  if (standards === null) return null;
  const decoded = standards.blocks;
  const states = await stopwatch.time("load", () =>
    Promise.all(projections.map((projection) => loadProjectionState(target, projection, decoded))),
  );
  const reads = projections.flatMap((projection, position) => {
    const state = states[position];
    return state === undefined ? [] : (projection.requiredBaseReads?.(decoded, state, facts) ?? []);
  });
  const base = await stopwatch.time("read", () => nullOnAbort(readBaseState(cache, target, reads), signal));
  if (base === null) return null;
  const folded: FoldedRows[] = [];
  for (const [position, projection] of projections.entries()) {
    folded.push(stopwatch.timeSync("fold", () => foldProjection(projection, decoded, states[position], facts, base.outcomes)));
    await yieldToEventLoop();
  }
  stopwatch.timeSync("fold", () => cacheRows(cache, projections, folded));
  for (const [position, rows] of folded.entries()) {
    stopwatch.timeSync("fold", () => bufferRows(target, position, rows));
    await yieldToEventLoop();
  }
  return { baseReads: base.rows, standards: standards.rows, unreadContracts: standards.unreadContracts };
};

const loadProjectionState = async (
  { cache, facts }: FoldTarget,
  projection: Projection,
  decoded: readonly DecodedBlock[],
): Promise<State> => {
  try {
    return await loadState(cache, projection, projection.keysToLoad(decoded, facts));
  } catch (error) {
    throw attributeToProjection(projection, error);
  }
};

const bufferRows = ({ buffers, projections }: FoldTarget, position: number, rows: FoldedRows): void => {
  try {
    buffers.add(position, rows);
  } catch (error) {
    const projection = projections[position];
    throw projection === undefined ? error : attributeToProjection(projection, error);
  }
};

const foldProjection = (
  projection: Projection,
  decoded: readonly DecodedBlock[],
  state: State | undefined,
  chain: ChainFacts,
  outcomes: BaseReadings["outcomes"],
): FoldedRows => {
  if (state === undefined) throw new TypeError(`State of projection ${projection.id} is not loaded.`);
  const baseOutcome = (read: BaseRead) => {
    const outcome = outcomes.get(baseReadKey(read) as Hex);
    if (outcome === undefined)
      throw new TypeError(`Projection ${projection.id} uses base read ${baseReadKey(read)}, which it did not declare.`);
    return outcome;
  };
  try {
    return projection.fold(decoded, { chain, state, baseOutcome });
  } catch (error) {
    throw attributeToProjection(projection, error);
  }
};

const cacheRows = (cache: StateCache, projections: readonly Projection[], folded: readonly FoldedRows[]): void => {
  for (const [position, { tables }] of projections.entries()) {
    for (const { name } of tables) {
      const rows = folded[position]?.[name];
      if (rows !== undefined) cache.set(name, rows);
    }
  }
};
