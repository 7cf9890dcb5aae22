/** Choices that are the same in every run. */
export interface Random {
  /** A whole number from 0 up to, and not including, `limit`. */
  below(limit: number): number;
  /** One of a list. @throws {RangeError} the list is empty */
  of<T>(list: readonly T[]): T;
}

/** The generator mulberry32, which is short, fast and good enough to choose by. */
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
    of: (list) => {
      if (list.length === 0) throw new RangeError("There is nothing to choose from.");
      return list[below(list.length)] as (typeof list)[number];
    },
  };
};
