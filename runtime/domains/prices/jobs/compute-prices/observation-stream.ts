import type { Address } from "../../../../lib/hex.ts";
import type { PriceModel } from "../../engine/model.ts";
import type { FileObservation, Observation } from "../../engine/observations.ts";
import type { EvidenceQueries } from "./evidence.ts";
import type { BlockRef } from "./evidence-blocks.ts";

/** The start position of a stream. */
export interface StreamStart {
  /** The time from which observations are returned. */
  readonly time: number;
  /** The last block before that time; null if there is none. */
  readonly block: BlockRef | null;
  /** Imported prices from that time on. */
  readonly imported: readonly FileObservation[];
}

/** Observations in chronological order, read page by page. */
export interface ObservationStream {
  /** The last block whose observations have been read; null before the first block. */
  readonly block: BlockRef | null;
  /** All observations before this time have been read. */
  readonly horizon: number;
  /** Takes the next observation that has been read and is before a time; undefined if there is none. */
  next(before: number): Observation | undefined;
  /** Reads the next page; false if the chain was reorganised. */
  read(head: BlockRef): Promise<boolean>;
}

/** Streams a chain's observations from a start position. `onPage` receives each page before its observations are returned. */
export function createObservationStream(
  { observationsAfter }: Pick<EvidenceQueries, "observationsAfter">,
  feeds: readonly Address[],
  start: StreamStart,
  onPage: (observations: readonly Observation[]) => Promise<void>,
): ObservationStream {
  let { block } = start;
  let horizon = Math.max(block?.time ?? 0, start.time);
  let pending: Observation[] = [...start.imported];
  let position = 0;
  return {
    get block() {
      return block;
    },
    get horizon() {
      return horizon;
    },
    next: (before) => {
      const observation = pending[position];
      if (observation === undefined || observation.time >= before || observation.time > horizon) return undefined;
      position += 1;
      return observation;
    },
    read: async (head) => {
      const page = await observationsAfter(block, head, feeds);
      if (page === null) return false;
      await onPage(page.observations);
      pending = [...pending.slice(position), ...page.observations].sort((left, right) => left.time - right.time);
      position = 0;
      block = page.upTo;
      horizon = Math.max(horizon, block.time);
      return true;
    },
  };
}

/** Creates a function that adds the factories' pools to a model when they are first observed. */
export const createPoolDiscovery = (
  { poolsAmong }: Pick<EvidenceQueries, "poolsAmong">,
  model: Pick<PriceModel, "hasPool" | "addPool">,
  factories: readonly Address[],
) => {
  const ignored = new Set<Address>();
  return async (observations: readonly Observation[]): Promise<void> => {
    const unknown = new Set(
      observations.flatMap((observation) =>
        observation.kind === "pool" && !model.hasPool(observation.pool) && !ignored.has(observation.pool) ? [observation.pool] : [],
      ),
    );
    if (unknown.size === 0) return;
    for (const pool of factories.length === 0 ? [] : await poolsAmong([...unknown], factories)) {
      model.addPool(pool);
      unknown.delete(pool.pool);
    }
    for (const pool of unknown) ignored.add(pool);
  };
};
