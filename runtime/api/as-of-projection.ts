import type { ContentVersion, IndexProgress, ProgressQueries } from "../domains/ledger/queries/progress.ts";
import { activeRequest } from "../lib/active-request.ts";
import { RequestError } from "../lib/request-error.ts";
import { type ProjectionId, type ProjectionReads, readsOf, subjectOf } from "./projection-reads.ts";

/** The state of a chain as of which an operation is served. */
export interface AsOfState {
  /** The as-of block: the indexed head, or the lowest checkpoint of the projections that the operation reads. */
  readonly block: number;
  /** While a projection is behind, the error for blocks above the as-of block or for something that is not found; otherwise null. */
  readonly rebuildError: RequestError | null;
  /** The first indexed block if it is not the chain's first block, otherwise null. */
  readonly indexedFrom: number | null;
  /** The checkpoint of each projection. */
  readonly checkpoints: ReadonlyMap<string, number>;
  /** A version that changes whenever a response may change; null if it is unknown. */
  readonly content: ContentVersion | null;
}

const retryAfterSeconds = 30;

/**
 * The only code that limits reads to a projection's checkpoint. A rebuilt projection catches up from the stored ledger while the chain is followed.
 * Until it has caught up, responses that read it are as of its checkpoint, which also becomes the anchor of list pages; requests to operations that do
 * not support past blocks are rejected with 503. `isProjectionRead` returns whether a chain's responses read a projection at all (names only if a
 * registry is configured), `readsPools` whether the responses of a declared protocol read exchange pools, and `otherChainsOf` the other chains whose
 * content a request reads.
 */
export function createAsOfProjection(
  { progressOf }: ProgressQueries,
  isProjectionRead: (chainId: number, projection: ProjectionId) => boolean,
  readsPools: (protocol: string) => boolean,
  otherChainsOf: (chainId: number, request: unknown) => readonly number[] = () => [],
) {
  const toAsOfState = (
    chainId: number,
    { head, firstBlock, checkpoints, failedProjections, isBeingRemoved, contentVersion }: IndexProgress,
    reads: ProjectionReads,
  ): AsOfState => {
    if (isBeingRemoved) throw new RequestError(503, "The chain is being removed from the index.");
    // A projection without a checkpoint has not started.
    const lowestOf = (projections: readonly ProjectionId[] = []) =>
      projections
        .filter((projection) => isProjectionRead(chainId, projection))
        .map((projection) => ({ projection, block: checkpoints.get(projection) ?? firstBlock - 1 }))
        .reduce((lowest, other) => (other.block < lowest.block ? other : lowest), { projection: null as ProjectionId | null, block: head });
    const [asOf, atHead, forExistence] = [lowestOf(reads.asOf), lowestOf(reads.atHead), lowestOf(reads.forExistence)];
    if (atHead.projection !== null) throw rebuildingError(atHead.projection, atHead.block, { head, firstBlock, failedProjections });
    const behind = asOf.projection === null ? forExistence : asOf;
    const rebuildError =
      behind.projection === null ? null : rebuildingError(behind.projection, behind.block, { head, firstBlock, failedProjections });
    if (rebuildError !== null && asOf.block < firstBlock) throw rebuildError;
    return { block: asOf.block, rebuildError, indexedFrom: firstBlock === 0 ? null : firstBlock, checkpoints, content: contentVersion };
  };

  /**
   * The progress of one chain and others. If the others' database does not respond, their progress is omitted; the content version and
   * the rates that are read from them are then unknown.
   */
  const progressWith = (chainId: number, others: readonly number[]) => progressOf([chainId, ...others]).catch(() => progressOf([chainId]));

  return {
    /**
     * The state as of which a request is served; null before the first block. @throws {RequestError} 503 if a projection that is read at the head is
     * behind, or the chain is being removed.
     */
    asOfStateOf: async (chainId: number, operation: string, request: unknown): Promise<AsOfState | null> => {
      const others = otherChainsOf(chainId, request);
      const progressOfAll = await (others.length === 0 ? progressOf([chainId]) : progressWith(chainId, others));
      const active = activeRequest();
      if (active !== undefined) active.chainIds = [chainId, ...others];
      const progress = progressOfAll.get(chainId);
      if (progress === undefined) return null;
      const asOfState = toAsOfState(chainId, progress, readsOf(operation, request, readsPools));
      return others.length === 0
        ? asOfState
        : { ...asOfState, content: combine([chainId, ...others].map((id) => progressOfAll.get(id)?.contentVersion)) };
    },

    /** The combined content version of several chains; null if one is unknown. */
    contentVersionOf: async (chainIds: readonly number[]): Promise<ContentVersion | null> => {
      const progress = await progressOf(chainIds);
      return combine(chainIds.flatMap((id) => (progress.has(id) ? [progress.get(id)?.contentVersion] : [])));
    },

    /** Checks, for several chains, that no projection that is read at the head is behind. @throws {RequestError} 503 if one is. */
    requireBuilt: async (chains: readonly { readonly id: number }[], projections: readonly ProjectionId[]): Promise<void> => {
      const progress = await progressOf(chains.map(({ id }) => id));
      for (const { id } of chains) {
        const progressOfChain = progress.get(id);
        if (progressOfChain !== undefined) toAsOfState(id, progressOfChain, { atHead: projections });
      }
    },
  };
}

export type AsOfProjection = ReturnType<typeof createAsOfProjection>;

/** Combines the content versions of several chains; null if there are none, or one is unknown. */
const combine = (contents: readonly (ContentVersion | null | undefined)[]): ContentVersion | null => {
  const known = contents.filter((content) => content !== null && content !== undefined);
  if (known.length === 0 || known.length < contents.length) return null;
  const changedAt = new Date(Math.max(...known.map((content) => content.changedAt.getTime())));
  return { id: known.map(({ id }) => id).join("+"), changedAt };
};

const rebuildingError = (
  projection: ProjectionId,
  block: number,
  { head, firstBlock, failedProjections }: Pick<IndexProgress, "head" | "firstBlock" | "failedProjections">,
): RequestError =>
  failedProjections.has(projection)
    ? switchedOffError(projection)
    : new RequestError(
        503,
        `${subjectOf(projection)} are being rebuilt: ${block < firstBlock ? `no block up to ${head} is included yet` : `at block ${block} of ${head}`}. Retry later.`,
        retryAfterSeconds,
      );

/** Whether a projection includes a block. The details of a transaction that are read from a projection are null until it includes the block. */
export const includesBlock = (
  checkpoints: ReadonlyMap<string, number>,
  projection: ProjectionId | "safes" | `community:${string}`,
  block: number,
): boolean => (checkpoints.get(projection) ?? -1) >= block;

const switchedOffError = (projection: ProjectionId): RequestError =>
  new RequestError(
    503,
    `${subjectOf(projection)} are not available: their projection failed and is switched off; the reason is in /v1/chains/status/.`,
  );
