import { createRandom, type Random } from "./random.ts";
import type { Call } from "./types.ts";

const secondsPerDay = 86_400;
const slotSeconds = 12;
const maxCallsPerBlock = 36;
/** The first ten hours of the first day are reserved for the setup of the chapters. */
const setupSlots = 3_000;

/** A planned block: its seconds after genesis and its transactions. */
export interface PlannedBlock {
  readonly offsetSeconds: number;
  readonly calls: readonly Call[];
}

/** Interleaves the chapters' calls of a day at random and keeps the order within each chapter. */
export const interleaveCalls = (chapters: readonly (readonly Call[])[], random: Random): readonly Call[] => {
  const keyed = chapters.flatMap((calls) => {
    const keys = calls.map(() => random.below(2 ** 30)).sort((left, right) => left - right);
    return calls.map((call, index) => ({ call, key: keys[index] ?? 0 }));
  });
  // Array sort is stable, so equal keys keep the order of the chapters.
  return keyed.sort((left, right) => left.key - right.key).map(({ call }) => call);
};

const chooseSlots = (count: number, first: number, random: Random): readonly number[] => {
  const slots = new Set<number>();
  while (slots.size < count) slots.add(random.between(first, secondsPerDay / slotSeconds - 1));
  return [...slots].sort((left, right) => left - right);
};

/** Distributes a day's calls over blocks of random size at random times; both are determined by the day. */
export const planDay = (day: number, calls: readonly Call[]): readonly PlannedBlock[] => {
  const random = createRandom(`blocks of day ${day}`);
  const batches: Call[][] = [];
  for (let start = 0; start < calls.length; ) {
    const size = random.between(4, maxCallsPerBlock);
    batches.push(calls.slice(start, start + size));
    start += size;
  }
  const slots = chooseSlots(batches.length, day === 0 ? setupSlots : 0, random);
  return batches.map((batch, index) => ({ offsetSeconds: day * secondsPerDay + (slots[index] ?? 0) * slotSeconds, calls: batch }));
};

/** Returns the offset of a block of the setup, which has one block for each slot. */
export const setupOffset = (position: number): number => {
  if (position >= setupSlots) throw new Error(`The setup of the story needs more than ${setupSlots} blocks`);
  return position * slotSeconds;
};
