/*
 * Finds the periods that contain a block without reading the others: the virtual backbone of a relational interval tree (Kriegel, Pötke, Seidl, VLDB 2000). A
 * period is stored under its pivot, the block in it that is divisible by the highest power of two. Every period that contains a block is stored under one of
 * the pivots on the path from the root to that block, at most one per power of two. Because the periods of an owner do not overlap, each pivot has at most one
 * of them.
 */

/** Heights stay below 2 ** 40 for 3,400 years at ten blocks per second. */
const heightBits = 40;

/** The block from `first` to `last` that is divisible by the highest power of two. */
export const pivotOf = (first: number, last: number): number => {
  let pivot = last;
  for (let step = 2; pivot > 0; step *= 2) {
    const candidate = pivot - (pivot % step);
    if (candidate < first) return pivot;
    pivot = candidate;
  }
  return pivot;
};

/** The pivots of all periods that contain `block`. */
export const pivotsOf = (block: number): number[] => {
  const pivots = [0];
  for (let bit = 0; bit < heightBits; bit += 1) {
    const step = 2 ** bit;
    // A period contains no block that is divisible by a higher power of two than its pivot.
    if (block % (2 * step) !== 0) pivots.push(block - (block % (2 * step)) + step);
  }
  return pivots;
};
