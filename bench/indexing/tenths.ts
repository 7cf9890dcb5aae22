/** When a block was committed. */
export interface Point {
  readonly block: number;
  readonly milliseconds: number;
}

/** When a height was reached, between two commits by the share of the blocks between them. */
const reachedAt = (points: readonly Point[], height: number): number => {
  let before: Point = { block: 0, milliseconds: 0 };
  for (const point of points) {
    if (point.block >= height) {
      const share = (height - before.block) / (point.block - before.block);
      return before.milliseconds + share * (point.milliseconds - before.milliseconds);
    }
    before = point;
  }
  return before.milliseconds;
};

/** Milliseconds that a block of the first and of the last tenth of a run took. */
export const compareTenths = (points: readonly Point[]): { readonly first: number; readonly last: number } => {
  const head = points.at(-1)?.block ?? 0;
  const tenth = head / 10;
  return {
    first: reachedAt(points, tenth) / tenth,
    last: (reachedAt(points, head) - reachedAt(points, head - tenth)) / tenth,
  };
};
