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

/** The height a list is answered as of: the anchor, or what `ending-block` pins below it. Null before the first block. */
export function lastBlockOf(context: ResolverContext, ending: BlockReference | null): number | null {
  if (context.anchor === null) return null;
  if (ending === null || ending === "latest") return context.anchor;
  return ending === "earliest" ? 0 : Math.min(ending, context.anchor);
}

/** The first height of a range. */
export const firstBlockOf = (context: ResolverContext, starting: BlockReference | null): number =>
  starting === "latest" ? (context.anchor ?? 0) : starting === "earliest" || starting === null ? 0 : starting;

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
