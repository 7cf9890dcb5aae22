/*
 * Which periods hold a block, found without reading the others: the virtual backbone of a relational interval tree (Kriegel, Pötke, Seidl, VLDB 2000).
 * A period is filed under its pivot, the one of its blocks that is divisible by the highest power of two. Every period that holds a block is filed
 * under one of the pivots on the way from the root to that block, at most one for each power of two; and as the periods of an owner do not overlap, each
 * pivot has at most one of them.
 */

/** Heights stay below this power of two for a long time: a chain with ten blocks a second needs 3,400 years. */
const heightBits = 40;

/** The block from `first` to `last` that is divisible by the highest power of two. */
export const pivotOf = (first: number, last: number): number => {
  let pivot = last;
  for (let step = 2; pivot > 0; step *= 2) {
    const rounder = pivot - (pivot % step);
    if (rounder < first) return pivot;
    pivot = rounder;
  }
  return pivot;
};

/** The pivots under which all periods that hold `block` are filed. */
export const pivotsOf = (block: number): number[] => {
  const pivots = [0];
  for (let bit = 0; bit < heightBits; bit += 1) {
    const step = 2 ** bit;
    // A period with a pivot beside a rounder block does not reach that block.
    if (block % (2 * step) !== 0) pivots.push(block - (block % (2 * step)) + step);
  }
  return block === 0 ? [0] : pivots;
};
