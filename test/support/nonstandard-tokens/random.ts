/** A seeded pseudorandom generator. */
export interface Random {
  /** An integer from 0 to limit - 1. */
  below(limit: number): number;
  /** A random list item. @throws {RangeError} if the list is empty. */
  pick<T>(list: readonly T[]): T;
}

/** Creates a mulberry32 generator. */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    pick: (list) => {
      if (list.length === 0) throw new RangeError("Cannot pick from an empty list");
      return list[below(list.length)] as (typeof list)[number];
    },
  };
};
