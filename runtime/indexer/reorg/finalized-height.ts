import type { FinalizedBlock, Head, Source } from "../../chain/source.ts";
import type { StoredLedger } from "../types.ts";

export interface FinalityDeps {
  readonly source: Pick<Source, "capabilities" | "finalizedBlock">;
  readonly ledger: Pick<StoredLedger, "hashes">;
  /** How many confirmations make a block final if the node has no finalized tag. */
  readonly finality: number | undefined;
}

/** The height up to which blocks are final, given the head and the last block that was compared with the index; null if it is not known. */
export type Finality = (head: Head, compared: number) => Promise<number | null>;

/**
 * Creates a reader of the finalized height. A finalized block that a node reports counts only if it and the previously read one are both in the
 * index; the lower one is used. This is because indexing stops permanently if a final block is replaced, and a gateway may occasionally route to a
 * node that lags, is wrong or is on another branch. Without the tag, the finalized height is `finality` blocks below the compared block, so that an
 * unconfirmed head finalizes nothing.
 */
export const createFinality = ({ source, ledger, finality }: FinalityDeps): Finality => {
  let previous: FinalizedBlock | null = null;

  const isIndexed = async ({ number, hash }: FinalizedBlock): Promise<boolean> =>
    (await ledger.hashes(number, number)).get(number) === hash;

  return async (head, compared) => {
    const top = Math.min(head.number, compared);
    if (!source.capabilities.hasFinalizedTag) return finality === undefined || top < finality ? null : top - finality;
    const first = previous ?? (await source.finalizedBlock());
    const second = await source.finalizedBlock();
    previous = second;
    if (first === null || second === null) return null;
    // A block above the compared ones cannot be checked until it is indexed.
    if (first.number > top || second.number > top) return null;
    if (!(await isIndexed(first)) || !(await isIndexed(second))) return null;
    return Math.min(first.number, second.number);
  };
};
