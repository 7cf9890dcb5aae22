/** The time at which a block was committed. */
export interface Point {
  readonly block: number;
  readonly milliseconds: number;
}

/** The time at which a height was reached, interpolated between two commits. */
const reachedAt = (points: readonly Point[], height: number): number => {
  let previous: Point = { block: 0, milliseconds: 0 };
  for (const point of points) {
    if (point.block >= height) {
      const share = (height - previous.block) / (point.block - previous.block);
      return previous.milliseconds + share * (point.milliseconds - previous.milliseconds);
    }
    previous = point;
  }
  return previous.milliseconds;
};

/** Milliseconds per block in the first and in the last tenth of a run. */
export const compareTenths = (points: readonly Point[]): { readonly first: number; readonly last: number } => {
  const head = points.at(-1)?.block ?? 0;
  const tenth = head / 10;
  return {
    first: reachedAt(points, tenth) / tenth,
    last: (reachedAt(points, head) - reachedAt(points, head - tenth)) / tenth,
  };
};
