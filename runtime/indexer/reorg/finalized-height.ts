import type { Head, Source } from "../../chain/source.ts";

/**
 * The height up to which blocks are final: the node's word where it has the tag, else so many blocks below the last one that was compared with the index,
 * so that a head which a node merely claims makes nothing final. Null where neither says.
 */
export const finalizedHeight = async (
  { capabilities, finalized }: Pick<Source, "capabilities" | "finalized">,
  head: Head,
  indexed: number,
  finality: number | undefined,
): Promise<number | null> => {
  const height = capabilities.finalizedTag ? await finalized() : finality === undefined ? null : Math.min(head.number, indexed) - finality;
  // A finalized block above the head is no word to keep.
  return height === null || height < 0 || height > head.number ? null : height;
};
