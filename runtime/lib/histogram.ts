/** Counts observed values by upper bound. Counts are plain numbers, because every request updates them. */
export interface Histogram {
  /** The upper bounds of the buckets in ascending order; a value belongs to the first bucket whose bound it does not exceed. */
  readonly bounds: readonly number[];
  /** The number of values in each bucket; the last element counts the values above all bounds. */
  readonly counts: number[];
  sum: number;
}

/** Creates a histogram without values. */
export const createHistogram = (bounds: readonly number[]): Histogram => ({
  bounds,
  counts: new Array<number>(bounds.length + 1).fill(0),
  sum: 0,
});

/** Counts a value. */
export function observe(histogram: Histogram, value: number): void {
  const { bounds, counts } = histogram;
  let bucket = 0;
  while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
  counts[bucket] = (counts[bucket] ?? 0) + 1;
  histogram.sum += value;
}
