import type { Progress, ProgressQueries } from "../domains/ledger/queries/progress.ts";
import { RequestError } from "../lib/request-error.ts";
import { type ProjectionId, type ProjectionReads, projectionSubjects, readsOf } from "./projection-reads.ts";

/** How far an operation's answers about a chain reach. */
export interface Reach {
  /** The last block that they take in: the indexed head, or the last block of the projection that is furthest behind. */
  readonly block: number;
  /** The failure of a request for what lies above that block, or is not found, while a projection is behind; null when none is. */
  readonly rebuilding: RequestError | null;
  /** The last block of each projection. */
  readonly checkpoints: ReadonlyMap<string, number>;
}

const retryAfterSeconds = 30;

/**
 * The one place that caps what is read at a projection's checkpoint. A projection that is rebuilt catches up from the stored ledger while the chain is followed:
 * until it is level, answers that read it are as of its last block, and the pages of a list stay there; where that makes no sense they are refused with 503.
 * `isRead` returns whether a projection's data is read at all for a chain, as names are only where a registry is configured.
 */
export function createAsOfProjection({ progressOf }: ProgressQueries, isRead: (chainId: number, projection: ProjectionId) => boolean) {
  const reachOf = (chainId: number, { head, first, checkpoints }: Progress, reads: ProjectionReads): Reach => {
    // A projection that has no checkpoint was never begun.
    const lowestOf = (projections: readonly ProjectionId[] = []) =>
      projections
        .filter((projection) => isRead(chainId, projection))
        .map((projection) => ({ projection, block: checkpoints.get(projection) ?? first - 1 }))
        .reduce((lowest, other) => (other.block < lowest.block ? other : lowest), { projection: null as ProjectionId | null, block: head });
    const [asOf, now, exists] = [lowestOf(reads.asOf), lowestOf(reads.now), lowestOf(reads.exists)];
    if (now.projection !== null) throw rebuildingError(now.projection, now.block, { head, first });
    const behind = asOf.projection === null ? exists : asOf;
    const rebuilding = behind.projection === null ? null : rebuildingError(behind.projection, behind.block, { head, first });
    if (rebuilding !== null && asOf.block < first) throw rebuilding;
    return { block: asOf.block, rebuilding, checkpoints };
  };

  return {
    /** How far the answers to a request reach; null before the first block. @throws {RequestError} 503, nothing can be said at the moment. */
    headOf: async (chainId: number, operation: string, request: unknown): Promise<Reach | null> => {
      const progress = (await progressOf([chainId])).get(chainId);
      return progress === undefined ? null : reachOf(chainId, progress, readsOf(operation, request));
    },

    /** Lets a request pass that reads projections of several chains as they are now. @throws {RequestError} 503 while one of them is behind. */
    requireBuilt: async (chains: readonly { readonly id: number }[], projections: readonly ProjectionId[]): Promise<void> => {
      const progress = await progressOf(chains.map(({ id }) => id));
      for (const [chainId, known] of progress) reachOf(chainId, known, { now: projections });
    },
  };
}

export type AsOfProjection = ReturnType<typeof createAsOfProjection>;

const rebuildingError = (projection: ProjectionId, block: number, { head, first }: Pick<Progress, "head" | "first">): RequestError =>
  new RequestError(
    503,
    `${projectionSubjects[projection]} are being rebuilt: ${block < first ? `no block of ${head} yet` : `at block ${block} of ${head}`}. Retry later.`,
    retryAfterSeconds,
  );
