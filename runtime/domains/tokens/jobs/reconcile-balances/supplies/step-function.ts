/*
 * A number of a contract (its supply beyond what events add up to, the balance of the zero address) is a step function of the block. A gap is a range of
 * blocks in which it changed, at blocks that are not found yet. Reading it at some blocks of the gap leaves smaller gaps, or none.
 */

/**
 * A number with so many steps changes by itself, as interest does: between blocks that may have changed it no more steps are looked for, and the last
 * reading holds. So a contract that returns another number in every block costs no more readings and rows than this.
 */
export const maxSteps = 400;

/** What a contract returned; null where it returned nothing that is a number. */
export type Value = bigint | null;

export interface Gap {
  /** First and last block whose value is not known. */
  readonly first: number;
  readonly last: number;
  /** The value right before the gap; undefined where that is not known. */
  readonly before: Value | undefined;
  /** The value right after it. */
  readonly after: Value;
}

export interface Reading {
  readonly block: number;
  readonly value: Value;
}

/** A value from a block on, until the next step; undefined begins a gap. */
export interface Step {
  readonly block: number;
  readonly value: Value | undefined;
}

/** Blocks of a gap to read at, ascending; `isCut` where earlier candidates are left for a later look. */
export interface Probes {
  readonly blocks: readonly number[];
  readonly isCut: boolean;
}

/**
 * Chooses at most `limit` blocks. Candidates, blocks in which the value may have changed, are read together with the block before each: that proves in
 * one look where it changed. `newestFirst` reads every candidate, look by look; else a sample of them narrows the gap down. Without candidates the blocks
 * are spread evenly.
 */
export const chooseProbes = (gap: Gap, candidates: readonly number[], limit: number, newestFirst: boolean): Probes => {
  const { first, last } = gap;
  const around = candidates.flatMap((block) => [block - 1, block]).filter((block) => block >= first && block <= last);
  const blocks = [...new Set(around)].sort((left, right) => left - right);
  if (blocks.length === 0) return { blocks: spread(first, last, limit), isCut: false };
  if (blocks.length <= limit) return { blocks, isCut: false };
  if (newestFirst) return { blocks: blocks.slice(-limit), isCut: true };
  return { blocks: spread(0, blocks.length - 1, limit).map((place) => blocks[place] ?? first), isCut: false };
};

/** At most `limit` whole numbers from `first` to `last`, both among them, evenly. */
const spread = (first: number, last: number, limit: number): number[] => {
  const count = Math.min(limit, last - first + 1);
  if (count === 1) return [first];
  return Array.from({ length: count }, (_, place) => first + Math.floor((place * (last - first)) / (count - 1)));
};

/**
 * The steps that take the place of a gap, in the order of their blocks, with the one right after it unless the value before it goes on. Between two readings
 * of the same value nothing is taken to have changed.
 */
export const fillGap = ({ first, last, before, after }: Gap, readings: readonly Reading[], isCut: boolean): Step[] => {
  const steps: Step[] = [];
  let previous = isCut || before === undefined ? null : { block: first - 1, value: before };
  for (const reading of [...readings, { block: last + 1, value: after }]) {
    if (previous === null || previous.value !== reading.value) {
      const begin = previous === null ? first : previous.block + 1;
      if (reading.block > begin) steps.push({ block: begin, value: undefined });
      steps.push(reading);
    }
    previous = reading;
  }
  return steps;
};
