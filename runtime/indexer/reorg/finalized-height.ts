import type { Head, Source } from "../../chain/source.ts";

/**
 * The height up to which blocks are final: the node's finalized block if it supports the tag, otherwise `finality` blocks below the last block that was compared
 * with the index, so that a head that the node merely claims finalizes nothing. Null if neither is known.
 */
export const finalizedHeight = async (
  { capabilities, finalized }: Pick<Source, "capabilities" | "finalized">,
  head: Head,
  indexed: number,
  finality: number | undefined,
): Promise<number | null> => {
  const height = capabilities.finalizedTag ? await finalized() : finality === undefined ? null : Math.min(head.number, indexed) - finality;
  // A finalized block above the head is implausible.
  return height === null || height < 0 || height > head.number ? null : height;
};
