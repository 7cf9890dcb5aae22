import type { Head, Source } from "../../chain/source.ts";

/**
 * The height up to which blocks are final: as the node reports it where it has the tag, else `finality` blocks below the last block that was compared with the index,
 * so that a head which a node merely claims finalizes nothing. Null where neither is known.
 */
export const finalizedHeight = async (
  { capabilities, finalized }: Pick<Source, "capabilities" | "finalized">,
  head: Head,
  indexed: number,
  finality: number | undefined,
): Promise<number | null> => {
  const height = capabilities.finalizedTag ? await finalized() : finality === undefined ? null : Math.min(head.number, indexed) - finality;
  // A finalized block above the head is not plausible.
  return height === null || height < 0 || height > head.number ? null : height;
};
