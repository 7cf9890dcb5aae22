import type { ChainBlock } from "../../chain/types.ts";
import type { BaseRead } from "../../indexer/projection.ts";
import type { Address } from "../../lib/hex.ts";
import { nativeMovements } from "./projection-native.ts";

/** The accounts whose native balance these blocks change, each with the block that does so first, as reads of what they had before the index began. */
export const nativeBaseReads = (blocks: readonly ChainBlock[]): BaseRead[] => {
  const first = new Map<Address, number>();
  for (const block of blocks) {
    for (const { from, to } of nativeMovements(block)) {
      for (const side of [from, to]) if (side !== null && !first.has(side)) first.set(side, block.number);
    }
  }
  return [...first].map(([address, firstBlock]) => ({ address, firstBlock }));
};
