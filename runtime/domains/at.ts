import type { Chain } from "../../generated/requests.gen.ts";
import { notAcceptable } from "../lib/request-error.ts";
import type { ResolverContext } from "./context.ts";

/** A block as a query names it. */
export type BlockReference = number | "earliest" | "latest";

/** A range of heights, both ends included. */
export interface BlockRange {
  readonly first: number;
  readonly last: number;
}

/** How a request names a range. */
export interface RangeReference {
  readonly startingBlock: BlockReference | null;
  readonly endingBlock: BlockReference | null;
}

/**
 * The indexed blocks of a range, up to the anchor; null where it holds none. What was not sent reaches to the end of the index.
 * @throws {notAcceptable} a start above the end, as words or numbers name them; numbers alone were compared before.
 */
export function rangeOf(
  { anchor }: Pick<ResolverContext, "anchor">,
  { startingBlock, endingBlock }: RangeReference,
  indexedFrom: number | null,
): BlockRange | null {
  if (anchor === null) return null;
  const lowest = indexedFrom ?? 0;
  const from = startingBlock === "latest" ? anchor : startingBlock === "earliest" || startingBlock === null ? null : startingBlock;
  const to = endingBlock === "earliest" ? lowest : endingBlock === "latest" || endingBlock === null ? null : endingBlock;
  if (from !== null && to !== null && from > to) {
    throw notAcceptable("starting-block", String(startingBlock), `at most ${to}, which ending-block means,`);
  }
  const first = Math.max(from ?? lowest, lowest);
  const last = Math.min(to ?? anchor, anchor);
  return first > last ? null : { first, last };
}

/** The indexed height that `block-height` names, the head when it was not sent; null before the first block. @throws {notAcceptable} above the head or below the first indexed block. */
export async function heightOf(context: ResolverContext, chain: Chain, height: BlockReference | null): Promise<number | null> {
  const [head, tail] = await Promise.all([context.ledger.head(chain.id), context.ledger.tail(chain.id)]);
  if (head === null || tail === null) return null;
  if (height === null || height === "latest") return head.number;
  if (height === "earliest") return tail.number;
  if (height > head.number || height < tail.number) {
    throw notAcceptable("block-height", String(height), `a block from ${tail.number} to ${head.number} (what is indexed)`);
  }
  return height;
}
