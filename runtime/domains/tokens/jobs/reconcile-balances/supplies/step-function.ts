/*
 * A numeric value read from a contract, such as its supply offset or the balance of the zero address, is a step function of the block. A gap is a block range
 * in which the value changed at blocks not located yet. Readings of the value at some blocks of a gap split it into smaller gaps, or close it.
 */

/**
 * A value with this many steps is treated as continuously changing, like interest: between blocks that may have changed it, no further steps are located, and
 * the last reading holds. This bounds the reads and rows for a contract that returns a different number in every block.
 */
export const maxSteps = 400;

/** The result of a call; null if the contract returned no number. */
export type Value = bigint | null;

export interface Gap {
  /** First and last block whose value is unknown. */
  readonly first: number;
  readonly last: number;
  /** The value right before the gap; undefined if unknown. */
  readonly before: Value | undefined;
  /** The value right after the gap. */
  readonly after: Value;
}

export interface Reading {
  readonly block: number;
  readonly value: Value;
}

/** A value that holds from a block until the next step; undefined marks the start of a gap. */
export interface Step {
  readonly block: number;
  readonly value: Value | undefined;
}

/** The blocks at which to read a gap, ascending; `isTruncated` if earlier candidates are left for a later run. */
export interface Probes {
  readonly blocks: readonly number[];
  readonly isTruncated: boolean;
}

/**
 * Chooses up to `limit` blocks. Candidates (blocks that may have changed the value) are read together with the block before each, which locates a change in one
 * run. If `isNewestFirst`, every candidate is read, run by run; otherwise a sample of them narrows the gap. Without candidates, the blocks are spread evenly.
 */
export const chooseProbes = (gap: Gap, candidates: readonly number[], limit: number, isNewestFirst: boolean): Probes => {
  const { first, last } = gap;
  const nearCandidates = candidates.flatMap((block) => [block - 1, block]).filter((block) => block >= first && block <= last);
  const blocks = [...new Set(nearCandidates)].sort((left, right) => left - right);
  if (blocks.length === 0) return { blocks: spread(first, last, limit), isTruncated: false };
  if (blocks.length <= limit) return { blocks, isTruncated: false };
  if (isNewestFirst) return { blocks: blocks.slice(-limit), isTruncated: true };
  return { blocks: spread(0, blocks.length - 1, limit).map((position) => blocks[position] ?? first), isTruncated: false };
};

/** At most `limit` evenly spaced integers from `first` to `last`, both included. */
const spread = (first: number, last: number, limit: number): number[] => {
  const count = Math.min(limit, last - first + 1);
  if (count === 1) return [first];
  return Array.from({ length: count }, (_, position) => first + Math.floor((position * (last - first)) / (count - 1)));
};

/**
 * The steps that replace a gap, in block order, including the step right after the gap, unless the value there equals the value before it. The value is
 * assumed to be constant between two equal readings.
 */
export const fillGap = ({ first, last, before, after }: Gap, readings: readonly Reading[], isTruncated: boolean): Step[] => {
  const steps: Step[] = [];
  let previous = isTruncated || before === undefined ? null : { block: first - 1, value: before };
  for (const reading of [...readings, { block: last + 1, value: after }]) {
    if (previous === null || previous.value !== reading.value) {
      const start = previous === null ? first : previous.block + 1;
      if (reading.block > start) steps.push({ block: start, value: undefined });
      steps.push(reading);
    }
    previous = reading;
  }
  return steps;
};
