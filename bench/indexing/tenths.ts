/** The time at which a block was committed. */
export interface CommitTime {
  readonly block: number;
  readonly milliseconds: number;
}

/** The time at which a height was reached, interpolated between two commits. */
const reachedAt = (commitTimes: readonly CommitTime[], height: number): number => {
  let previous: CommitTime = { block: 0, milliseconds: 0 };
  for (const commit of commitTimes) {
    if (commit.block >= height) {
      const share = (height - previous.block) / (commit.block - previous.block);
      return previous.milliseconds + share * (commit.milliseconds - previous.milliseconds);
    }
    previous = commit;
  }
  return previous.milliseconds;
};

/** Milliseconds per block in the first and in the last tenth of a run. */
export const compareTenths = (commitTimes: readonly CommitTime[]): { readonly first: number; readonly last: number } => {
  const head = commitTimes.at(-1)?.block ?? 0;
  const tenth = head / 10;
  return {
    first: reachedAt(commitTimes, tenth) / tenth,
    last: (reachedAt(commitTimes, head) - reachedAt(commitTimes, head - tenth)) / tenth,
  };
};
